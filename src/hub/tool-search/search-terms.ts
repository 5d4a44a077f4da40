/**
 * The terms that a text is searched by: its words without their endings, and the concepts that they stand for, so that
 * "ticket" finds "issue". Tools and queries are converted alike.
 */
import { stemmer } from 'stemmer';
import { listSynonymGroups } from './synonyms.ts';

const stopWords = new Set(
  `a about all am an and any are as at be been by can could did do does for from had has have here how i if in into is it
   its just let like me my need of on or our please should so some that the their them then there these they this those to
   us via was we were what when where which who whose will with would you your want using use uses used`.split(/\s+/),
);

/** Longer ones are not words. */
const maxWordLength = 40;
const conceptPrefix = '#';
/** The weight of a word that has synonyms, and of its synonyms. */
const stemWeight = 0.55;
const conceptWeight = 0.6;
const positionLoss = 0.06;
const minPositionWeight = 0.6;

/** The concepts of a word, or of two words with a space in between, without their endings. */
const concepts = new Map<string, readonly string[]>();
for (const [index, group] of listSynonymGroups().entries())
  for (const words of group) {
    const key = words.split(' ').map(stemmer).join(' ');
    concepts.set(key, [...(concepts.get(key) ?? []), `${conceptPrefix}${index}`]);
  }

/**
 * Words in lower case, those of `camelCase` and `snake_case` names too. A word that is in `vocabulary` as a whole, such as the name
 * of a connection, is not split: "GitHub" is not "git" and "hub".
 */
function splitWords(text: string, vocabulary?: ReadonlySet<string>): string[] {
  const words = text
    .normalize('NFKC')
    .replaceAll(/[\p{L}\p{N}]+/gu, (word) => (vocabulary?.has(stemmer(word.toLowerCase())) ? word.toLowerCase() : word))
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return (words ?? []).filter((word) => word.length <= maxWordLength);
}

/** A word of a text; `stem` is undefined for one that says nothing by itself. */
type SearchWord = { readonly stem: string | undefined; readonly concepts: readonly string[] };

function toSearchWords(text: string, vocabulary?: ReadonlySet<string>): SearchWord[] {
  const words = splitWords(text, vocabulary).map((word) => ({ stem: stemmer(word), isStopWord: stopWords.has(word) }));
  return words.map(({ stem, isStopWord }, index) => {
    const next = words[index + 1];
    const pair = next === undefined ? [] : (concepts.get(`${stem} ${next.stem}`) ?? []);
    return isStopWord
      ? { stem: undefined, concepts: pair }
      : { stem, concepts: [...(concepts.get(stem) ?? []), ...pair] };
  });
}

/** In the order of the text; a term that occurs twice is there twice. */
export function toSearchTerms(text: string): string[] {
  return toSearchWords(text).flatMap(({ stem, concepts: all }) => (stem === undefined ? all : [stem, ...all]));
}

/** `word` is the position of the first word that the term stands for. */
export type QueryTerm = { readonly word: number; readonly weight: number };

/** What the form of a part of a query says that it is, whatever its letters are. */
const forms: readonly (readonly [form: RegExp, word: string])[] = [
  [/(?:^|\s)(?:[A-Z][A-Z0-9]+-|#)\d+\b/, 'issue'],
  [/(?:^|\s)#\p{L}/u, 'channel'],
  [/\bhttps?:\/\//, 'webpage'],
  [/\w@\w+\.\w/, 'email'],
  [/(?:^|\s)[\w-]+\.[a-z]{2,4}\b/, 'file'],
];

function listFormWords(query: string): string {
  return forms.map(([form, word]) => (form.test(query) ? ` ${word}` : '')).join('');
}

/** A request begins with what is to be done, and with what; circumstances follow. */
export function getPositionWeight(word: number): number {
  return Math.max(minPositionWeight, 1 - positionLoss * word);
}

/**
 * The terms of a query; `vocabulary` has those of the tools. A word with synonyms weighs no more than one without, and one with many meanings less.
 */
export function toQueryTerms(query: string, vocabulary: ReadonlySet<string>): ReadonlyMap<string, QueryTerm> {
  const terms = new Map<string, QueryTerm>();
  const add = (term: string, queryTerm: QueryTerm): void => {
    if (!terms.has(term)) terms.set(term, queryTerm);
  };
  for (const [word, { stem, concepts: all }] of toSearchWords(query + listFormWords(query), vocabulary).entries()) {
    const isAmbiguous = all.length > 0;
    if (stem !== undefined) add(stem, { word, weight: isAmbiguous ? stemWeight : 1 });
    for (const concept of all) add(concept, { word, weight: conceptWeight / Math.sqrt(all.length) });
  }
  return terms;
}

export function isConcept(term: string): boolean {
  return term.startsWith(conceptPrefix);
}

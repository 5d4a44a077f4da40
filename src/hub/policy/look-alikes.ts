/** Names that look like other names: confusable letters (Unicode TS 39), capitals, separators, the prefix of another connection. */
import { rectifyConfusion } from 'unicode-confusables';
import { toolSeparator } from '../connections/connection.ts';

/** Letters that are not in the table of TS 39 but common in imitations. */
const moreLookAlikes: Readonly<Record<string, string>> = {
  к: 'k',
  м: 'm',
  т: 't',
  в: 'b',
  н: 'h',
  г: 'r',
  п: 'n',
  ε: 'e',
  κ: 'k',
  τ: 't',
  χ: 'x',
  η: 'n',
  ω: 'w',
};

/** Names with the same skeleton look the same. */
export function toLookAlikeSkeleton(name: string): string {
  const letters = [...name.normalize('NFKC')].map((letter) => moreLookAlikes[letter.toLowerCase()] ?? letter).join('');
  const latin = rectifyConfusion(letters.normalize('NFD').replaceAll(/[\p{M}\p{Cf}]/gu, '')).toLowerCase();
  return rectifyConfusion(latin).replaceAll(/[\p{M}\p{Cf}_.\-\s]/gu, '');
}

/** As written and in lower case: a capital I looks like an l, and is also the capital of i. */
function listSkeletons(name: string): string[] {
  return [...new Set([toLookAlikeSkeleton(name), toLookAlikeSkeleton(name.toLowerCase())])];
}

const latinLetter = /\p{Script=Latin}/u;
const foreignLetters = /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}]/gu;
const wordLetters = /[\p{L}\p{M}]+/gu;

function toLatin(letter: string): string {
  const latin = moreLookAlikes[letter.toLowerCase()] ?? rectifyConfusion(letter);
  return /^[a-z]$/i.test(latin) ? latin : letter;
}

/** The text with foreign letters that look like Latin ones replaced, in words that have Latin letters too: `pаypal` with a Cyrillic а. */
export function replaceLookAlikes(text: string): string {
  if (text.search(foreignLetters) === -1) return text;
  return text.replaceAll(wordLetters, (word) => {
    if (!latinLetter.test(word)) return word;
    const latin = word.replaceAll(foreignLetters, toLatin);
    // Words of two scripts that can be told apart are usual, such as `json-ом` or `IDшник`.
    return latin.search(foreignLetters) === -1 ? latin : word;
  });
}

const foreignWord = /^[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}\p{M}]+$/u;
/** Latin letters with other code points: mathematical, full-width, enclosed and small capitals. */
const styledWord =
  /[\u{1D400}-\u{1D7FF}]{4,}|[\uFF21-\uFF3A\uFF41-\uFF5A]{4,}|[\u24B6-\u24E9]{4,}|[\u{1F130}-\u{1F189}]{4,}/u;
const smallCapitals = /[\u1D00-\u1D22\u0262\u026A\u0274\u0280\u028F\u0299\u029C\u029F\uA730\uA731]{3,}/u;
/** Unlike those in units and formulas (`μs`, `Δt`), these pass for Latin letters inside a word. */
const greekLookAlike = /[ορνιαυκτχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]/u;
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * Words that look like Latin ones and are not, by the rules of TS 39 on whole-script and mixed-script confusables: written in another
 * script throughout, in a text of Latin words, or with Greek letters among Latin ones, or in letters that are only styled.
 */
export function findConfusableWord(text: string): string | undefined {
  const styled = styledWord.exec(text)?.[0] ?? smallCapitals.exec(text)?.[0];
  if (styled !== undefined && !ideograph.test(text)) return styled;
  if (!latinLetter.test(text)) return undefined;
  const words = text.match(wordLetters) ?? [];
  const mixed = words.find((word) => word.length >= 5 && latinLetter.test(word) && greekLookAlike.test(word));
  if (mixed !== undefined) return mixed;
  const foreign = words.filter((word) => foreignWord.test(word));
  const isLatinLook = (word: string): boolean => /^[a-z]+$/i.test([...word].map(toLatin).join(''));
  // A text that has words of that language is written in it.
  if (foreign.length === 0 || !foreign.every(isLatinLook)) return undefined;
  return foreign.find((word) => word.length >= 4);
}

export type HubToolName = { readonly connection: string; readonly tool: string };

/** The tools and connections of a hub, indexed by the look of their names. */
export type HubNameIndex = {
  readonly connections: ReadonlyMap<string, string>;
  readonly bySkeleton: ReadonlyMap<string, readonly HubToolName[]>;
  readonly byNearName: ReadonlyMap<string, readonly HubToolName[]>;
};

/** The name without each of its letters: names that share a result differ in one letter. */
function* listNearNames(name: string): Generator<string> {
  if (name.length < 6 || name.length > 100) return;
  yield name;
  for (let index = 0; index < name.length; index += 1) yield name.slice(0, index) + name.slice(index + 1);
}

function addToMap(map: Map<string, HubToolName[]>, key: string, tool: HubToolName): void {
  const existing = map.get(key);
  if (existing) existing.push(tool);
  else map.set(key, [tool]);
}

/** Built once for many tools. */
export function indexHubNames(tools: readonly HubToolName[], connections: readonly string[]): HubNameIndex {
  const bySkeleton = new Map<string, HubToolName[]>();
  const byNearName = new Map<string, HubToolName[]>();
  for (const candidate of tools) {
    for (const skeleton of listSkeletons(candidate.tool)) addToMap(bySkeleton, skeleton, candidate);
    for (const nearName of listNearNames(candidate.tool)) addToMap(byNearName, nearName, candidate);
  }
  return { connections: new Map(connections.map((name) => [toLookAlikeSkeleton(name), name])), bySkeleton, byNearName };
}

export type LookAlike = { readonly kind: 'imitates' | 'similar'; readonly message: string };

const asciiName = /^[\x20-\x7e]*$/;

/** Whether a name that looks like this one is an imitation; within a connection, separators alone are taken as a matter of style. */
function isImitation(name: string, connection: string, candidate: HubToolName): boolean {
  if (candidate.tool === name) return false;
  if (candidate.connection !== connection || !asciiName.test(name)) return true;
  return candidate.tool.toLowerCase() === name.toLowerCase();
}

export function* findLookAlikes(
  name: string,
  connection: string,
  { connections, bySkeleton, byNearName }: HubNameIndex,
): Generator<LookAlike> {
  const index = name.indexOf(toolSeparator);
  const imitatedConnection = index > 0 ? connections.get(toLookAlikeSkeleton(name.slice(0, index))) : undefined;
  if (imitatedConnection !== undefined && imitatedConnection !== connection)
    yield { kind: 'imitates', message: `its name starts like the tools of the connection ${imitatedConnection}` };
  const sameLook = listSkeletons(name).flatMap((skeleton) => bySkeleton.get(skeleton) ?? []);
  const imitated = sameLook.find((candidate) => isImitation(name, connection, candidate));
  if (imitated)
    yield {
      kind: 'imitates',
      message: `its name looks like ${imitated.tool} of the connection ${imitated.connection}`,
    };
  const near = [...listNearNames(name)]
    .flatMap((nearName) => byNearName.get(nearName) ?? [])
    .find((candidate) => candidate.connection !== connection && candidate.tool !== name);
  if (near && !imitated)
    yield { kind: 'similar', message: `its name is close to ${near.tool} of the connection ${near.connection}` };
}

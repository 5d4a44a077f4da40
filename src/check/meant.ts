/** Did you mean: what was probably meant by a text that is no check. Only for mistakes, so it may take its time. */
import { suggestion } from '../errors/suggestion.ts';
import { type HasForm, readBodyForm } from './body-form.ts';
import { contains } from './contains.ts';
import { equals } from './equals.ts';
import { evidenceMeant } from './evidence-meant.ts';
import { matches } from './matches.ts';

const keywordKinds = [contains, equals, matches];
const keywords = keywordKinds.flatMap(({ keyword }) => keyword ?? []);
const turnedSigns: Readonly<Record<string, string>> = { '=>': '>=', '=<': '<=', '≥': '>=', '≤': '<=' };

function keywordMeant(written: string): string | undefined {
  const word = written.toLowerCase();
  const known = keywordKinds.find((kind) => kind.keyword === word || kind.mistakes?.includes(word))?.keyword;
  return known ?? turnedSigns[word] ?? suggestion(word, keywords);
}

function statusMeant(text: string): string | undefined {
  const [, word = '', code] =
    /^(?:http\s+)?(?:response\s+)?([a-z]+?)(?:[\s_-]*code)?\s*(?:={1,3}|:|\bis\b|\bequals\b|\bof\b)?\s*([1-5]\d\d)$/i.exec(
      text,
    ) ?? [];
  return code !== undefined && isNear(word, 'status') ? `status=${code}` : undefined;
}

/** The check with its opening words put right: `Body has`, `the body has`, `body have`, `boddy hsa`, `response body has`. */
function openingMeant(text: string): string | undefined {
  const [, first = '', second = '', rest = ''] = /^(?:the\s+|response\s+){0,2}(\S+)\s+(\S+)\s+(.*)$/i.exec(text) ?? [];
  const isOpening = isNear(first, 'body') && (isNear(second, 'has') || isNear(second, 'have'));
  if (!isOpening || text.startsWith('body has ')) return undefined;
  return `body has ${bodyMeant(`body has ${rest}`) ?? rest}`;
}

function isNear(written: string, word: string): boolean {
  return suggestion(written, [word]) !== undefined;
}

/** The field with the words behind it put right; undefined when there is nothing to put right. */
export function hasMeant(form: HasForm, text: string): string | undefined {
  if (form.keyword.text === '') return undefined;
  if (/^(exists?|present|is present|is not null)$/.test(text.slice(form.keyword.start))) return form.field.text;
  const keyword = keywordMeant(form.keyword.text);
  return keyword === undefined ? undefined : `${form.field.text} ${keyword} ${form.operand.text}`.trimEnd();
}

/** What should stand behind `body has `. */
function bodyMeant(text: string): string | undefined {
  const form = readBodyForm(text);
  return form && hasMeant(form, text);
}

/** The check that was probably meant; undefined where nothing resembles one. */
export function meant(text: string): string | undefined {
  const body = bodyMeant(text);
  return (
    statusMeant(text) ??
    openingMeant(text) ??
    (body === undefined ? undefined : `body has ${body}`) ??
    evidenceMeant(text, hasMeant)
  );
}

/** "Did you mean": the check that a malformed text was probably meant to be. Only for mistakes, so it may be slow. */
import { findSuggestion } from '../errors/suggestion.ts';
import type { CheckKind } from './check-kind.ts';
import { correctResponseCheck } from './correction-response.ts';
import { type HasForm, parseBodyForm, parseHasForm } from './forms/has-form.ts';

const swappedSigns: Readonly<Record<string, string>> = { '=>': '>=', '=<': '<=', '≥': '>=', '≤': '<=' };

function correctKeyword(written: string, kinds: readonly CheckKind[]): string | undefined {
  const word = written.toLowerCase();
  const known = kinds.find(({ keyword, mistakes }) => keyword === word || mistakes?.includes(word))?.keyword;
  const keywords = kinds.flatMap(({ keyword }) => keyword ?? []);
  return known ?? swappedSigns[word] ?? findSuggestion(word, keywords);
}

function correctStatusCheck(text: string): string | undefined {
  const [, word = '', code] =
    /^(?:http\s+)?(?:response\s+)?([a-z]+?)(?:[\s_-]*code)?\s*(?:={1,3}|:|\bis\b|\bequals\b|\bof\b)?\s*([1-5]\d\d)$/i.exec(
      text,
    ) ?? [];
  return code !== undefined && isNear(word, 'status') ? `status=${code}` : undefined;
}

/** Corrects the opening words: `Body has`, `the body has`, `body have`, `boddy hsa`, `response body has`. */
function correctOpening(text: string, kinds: readonly CheckKind[]): string | undefined {
  const [, first = '', second = '', remaining = ''] =
    /^(?:the\s+|response\s+){0,2}(\S+)\s+(\S+)\s+(.*)$/i.exec(text) ?? [];
  const isOpening = isNear(first, 'body') && (isNear(second, 'has') || isNear(second, 'have'));
  if (!isOpening || text.startsWith('body has ')) return undefined;
  return `body has ${correctBodyCheck(`body has ${remaining}`, kinds) ?? remaining}`;
}

function isNear(written: string, word: string): boolean {
  return findSuggestion(written, [word]) !== undefined;
}

/** Corrects the words after `has`; undefined when there is nothing to correct. */
function correctHasForm(form: HasForm, text: string, kinds: readonly CheckKind[]): string | undefined {
  if (form.keyword.text === '') return undefined;
  if (/^(exists?|present|is present|is not null)$/.test(text.slice(form.keyword.start))) return form.field.text;
  const keyword = correctKeyword(form.keyword.text, kinds);
  return keyword === undefined ? undefined : `${form.field.text} ${keyword} ${form.operand.text}`.trimEnd();
}

/** Corrects what follows `body has `. */
function correctBodyCheck(text: string, kinds: readonly CheckKind[]): string | undefined {
  const form = parseBodyForm(text);
  return form && correctHasForm(form, text, kinds);
}

const signPatterns: readonly (readonly [RegExp, string])[] = [
  [/^(?:={1,3}|:|is|are|equals?|of|exactly|count)?$/, '='],
  [/^(?:>=|=>|≥|at least|min(?:imum)?)$/, '>='],
  [/^(?:<=|=<|≤|at most|max(?:imum)?)$/, '<='],
  [/^(?:>|more than|greater than|over)$/, '>'],
  [/^(?:<|less than|fewer than|under)$/, '<'],
  [/^(?:!={1,2}|<>|≠|not|is not)$/, '!='],
];

/** A sign in any words, and the number behind it. */
const signAndNumber = '([^\\d]*?)\\s*(\\d{1,9})';
const databaseNames = ['db', 'database', 'sql', 'postgres', 'postgresql', 'query'];
const rowsForm = new RegExp(`^(?:has\\s+|the\\s+)?rows?(?:[\\s_-]*count)?\\s*${signAndNumber}$`, 'i');
const countForm = new RegExp(`^count\\s*${signAndNumber}$`, 'i');
const rowsAtEnd = new RegExp(`^(?:has|have|returns?|gives?|finds?)\\s+${signAndNumber}\\s+rows?$`, 'i');
const noRows = /^(?:(?:has|have|returns?|gives?|finds?|is)\s+)?(?:no\s+rows?|nothing|empty)$/i;
const linesForm = new RegExp(
  `^(?:has\\s+)?(lines?|errors?|saga)(?:[\\s_-]*(?:events?|lines?))?(?:[\\s_-]*count)?\\s*${signAndNumber}$`,
  'i',
);
const noLines = /^(?:(?:has|have|is|contains?)\s+)?(?:no|without)\s+(lines?|errors?|saga)\b[\s\w]*$/i;
const logText = /^(?:lines?\s+)?(?:contains?|containing|includes?|mentions?|matches|matching)\s+(.+)$/i;

function parseSign(signText: string): string | undefined {
  const normalizedText = signText.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  return signPatterns.find(([form]) => form.test(normalizedText))?.[1];
}

function formatCountCheck(subject: string, sign: string | undefined, number: string | undefined): string | undefined {
  const operator = sign === undefined ? undefined : parseSign(sign);
  return operator === undefined || number === undefined ? undefined : `${subject}${operator}${number}`;
}

/** `has …`, with or without a word before it. */
function correctHasCheck(remaining: string, start: string, kinds: readonly CheckKind[]): string | undefined {
  const [, name = '', operandText] = /^(?:(\w+)\s+)?(?:has|have)\s+(.*)$/i.exec(remaining) ?? [];
  if (operandText === undefined) return undefined;
  const query = start === 'db' && name !== '' ? `${name.toLowerCase()} ` : '';
  return `${start} ${query}has ${correctHasForm(parseHasForm(operandText, 0), operandText, kinds) ?? operandText}`;
}

function correctDatabaseCheck(remaining: string, kinds: readonly CheckKind[]): string | undefined {
  if (noRows.test(remaining)) return 'db rows=0';
  const [, sign, number] = rowsForm.exec(remaining) ?? countForm.exec(remaining) ?? rowsAtEnd.exec(remaining) ?? [];
  if (number !== undefined) return formatCountCheck('db rows', sign, number);
  const [, query, afterQuery = ''] = /^([a-z]\w*)\s+(.*)$/i.exec(remaining) ?? [];
  const [, ownSign, ownNumber] = rowsForm.exec(afterQuery) ?? [];
  return (
    formatCountCheck(`db ${query?.toLowerCase()} rows`, ownSign, ownNumber) ?? correctHasCheck(remaining, 'db', kinds)
  );
}

function findCountSubject(word: string): string {
  if (/^line/i.test(word)) return 'log lines';
  return /^error/i.test(word) ? 'log errors' : 'log saga_events';
}

function correctLogCheck(remaining: string, kinds: readonly CheckKind[]): string | undefined {
  const none = noLines.exec(remaining)?.[1];
  if (none !== undefined) return `${findCountSubject(none)}=0`;
  const [, word = '', sign, number] = linesForm.exec(remaining) ?? [];
  if (number !== undefined) return formatCountCheck(findCountSubject(word), sign, number);
  const text = logText.exec(remaining)?.[1];
  if (text === undefined) return correctHasCheck(remaining, 'log', kinds);
  return /^(?:a\s+)?saga(?:[\s_-]*events?)?$/i.test(text) ? 'log saga_events>=1' : `log has message containing ${text}`;
}

/** Undefined where the text does not begin with a word for the database or the log. */
function correctEvidenceCheck(text: string, kinds: readonly CheckKind[]): string | undefined {
  if (/^no\s+(?:log\s+errors?|errors?(?:\s+in\s+(?:the\s+)?logs?)?)$/i.test(text)) return 'log errors=0';
  const [, first = '', remaining = ''] = /^(?:the\s+|target(?:'s)?\s+)*([a-z]+)[\s:._-]+(.*)$/i.exec(text) ?? [];
  const near = findSuggestion(first, [...databaseNames, 'log', 'logs']);
  if (near === undefined) return undefined;
  return near.startsWith('log') ? correctLogCheck(remaining, kinds) : correctDatabaseCheck(remaining, kinds);
}

/** The check that was probably meant; undefined where nothing is similar. */
export function findCorrection(text: string, kinds: readonly CheckKind[]): string | undefined {
  const body = correctBodyCheck(text, kinds);
  return (
    correctStatusCheck(text) ??
    correctResponseCheck(text) ??
    correctOpening(text, kinds) ??
    (body === undefined ? undefined : `body has ${body}`) ??
    correctEvidenceCheck(text, kinds)
  );
}

/** What was probably meant by a text about the database or the log that is no check. */
import { suggestion } from '../errors/suggestion.ts';
import { type HasForm, readHasForm } from './body-form.ts';

/** Puts the words behind a field right (meant.ts). */
type HasMeant = (form: HasForm, text: string) => string | undefined;

const signs: readonly (readonly [RegExp, string])[] = [
  [/^(?:={1,3}|:|is|are|equals?|of|exactly|count)?$/, '='],
  [/^(?:>=|=>|≥|at least|min(?:imum)?)$/, '>='],
  [/^(?:<=|=<|≤|at most|max(?:imum)?)$/, '<='],
  [/^(?:>|more than|greater than|over)$/, '>'],
  [/^(?:<|less than|fewer than|under)$/, '<'],
  [/^(?:!={1,2}|<>|≠|not|is not)$/, '!='],
];

/** A sign in any words, and the number behind it. */
const signAndNumber = '([^\\d]*?)\\s*(\\d{1,9})';
const databaseWords = ['db', 'database', 'sql', 'postgres', 'postgresql', 'query'];
const rowsForm = new RegExp(`^(?:has\\s+|the\\s+)?rows?(?:[\\s_-]*count)?\\s*${signAndNumber}$`, 'i');
const countForm = new RegExp(`^count\\s*${signAndNumber}$`, 'i');
const rowsBehind = new RegExp(`^(?:has|have|returns?|gives?|finds?)\\s+${signAndNumber}\\s+rows?$`, 'i');
const noRows = /^(?:(?:has|have|returns?|gives?|finds?|is)\s+)?(?:no\s+rows?|nothing|empty)$/i;
const linesForm = new RegExp(
  `^(?:has\\s+)?(lines?|errors?|saga)(?:[\\s_-]*(?:events?|lines?))?(?:[\\s_-]*count)?\\s*${signAndNumber}$`,
  'i',
);
const noLines = /^(?:(?:has|have|is|contains?)\s+)?(?:no|without)\s+(lines?|errors?|saga)\b[\s\w]*$/i;
const logText = /^(?:lines?\s+)?(?:contains?|containing|includes?|mentions?|matches|matching)\s+(.+)$/i;

function signMeant(written: string): string | undefined {
  const words = written.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  return signs.find(([form]) => form.test(words))?.[1];
}

function counted(what: string, sign: string | undefined, number: string | undefined): string | undefined {
  const right = sign === undefined ? undefined : signMeant(sign);
  return right === undefined || number === undefined ? undefined : `${what}${right}${number}`;
}

/** `has …`, with or without a word before it. */
function has(rest: string, start: string, hasMeant: HasMeant): string | undefined {
  const [, name = '', behind] = /^(?:(\w+)\s+)?(?:has|have)\s+(.*)$/i.exec(rest) ?? [];
  if (behind === undefined) return undefined;
  const query = start === 'db' && name !== '' ? `${name.toLowerCase()} ` : '';
  return `${start} ${query}has ${hasMeant(readHasForm(behind, 0), behind) ?? behind}`;
}

function databaseMeant(rest: string, hasMeant: HasMeant): string | undefined {
  if (noRows.test(rest)) return 'db rows=0';
  const [, sign, number] = rowsForm.exec(rest) ?? countForm.exec(rest) ?? rowsBehind.exec(rest) ?? [];
  if (number !== undefined) return counted('db rows', sign, number);
  const [, query, behind = ''] = /^([a-z]\w*)\s+(.*)$/i.exec(rest) ?? [];
  const [, ownSign, ownNumber] = rowsForm.exec(behind) ?? [];
  return counted(`db ${query?.toLowerCase()} rows`, ownSign, ownNumber) ?? has(rest, 'db', hasMeant);
}

function countMeant(word: string): string {
  if (/^line/i.test(word)) return 'log lines';
  return /^error/i.test(word) ? 'log errors' : 'log saga_events';
}

function logMeant(rest: string, hasMeant: HasMeant): string | undefined {
  const none = noLines.exec(rest)?.[1];
  if (none !== undefined) return `${countMeant(none)}=0`;
  const [, word = '', sign, number] = linesForm.exec(rest) ?? [];
  if (number !== undefined) return counted(countMeant(word), sign, number);
  const text = logText.exec(rest)?.[1];
  if (text === undefined) return has(rest, 'log', hasMeant);
  return /^(?:a\s+)?saga(?:[\s_-]*events?)?$/i.test(text) ? 'log saga_events>=1' : `log has message containing ${text}`;
}

/** The check that was probably meant; undefined where the text does not begin with a word for the database or the log. */
export function evidenceMeant(text: string, hasMeant: HasMeant): string | undefined {
  if (/^no\s+(?:log\s+errors?|errors?(?:\s+in\s+(?:the\s+)?logs?)?)$/i.test(text)) return 'log errors=0';
  const [, first = '', rest = ''] = /^(?:the\s+|target(?:'s)?\s+)*([a-z]+)[\s:._-]+(.*)$/i.exec(text) ?? [];
  const near = suggestion(first, [...databaseWords, 'log', 'logs']);
  if (near === undefined) return undefined;
  return near.startsWith('log') ? logMeant(rest, hasMeant) : databaseMeant(rest, hasMeant);
}

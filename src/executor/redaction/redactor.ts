/**
 * Removes secrets from everything that is displayed; concealment.ts decides what checks may see.
 *
 * A value of fewer than four characters is redacted only where it is an entire header value, text or quoted JSON
 * string: replacing every `1` of a body would hide the body and reveal the secret.
 */
import type { HeaderList } from '../../run/evidence.ts';
import { buildSecretForms, minSearchedLength, type SecretForms } from './secret-forms.ts';

/** The text that replaces a secret. */
export const redactionMark = '[redacted]';

const hiddenHeaders = new Set(['authorization', 'cookie', 'set-cookie', 'proxy-authorization', 'x-api-key']);

/** Redacts the secrets of one project. */
export type Redactor = {
  /** `text` without secrets; if it was shortened (`…`), also without the beginning of one of `cuttable`. */
  redactText(text: string): string;
  /** Header lines without secrets; the values of headers that carry credentials are always replaced. */
  redactHeaders(headers: HeaderList): HeaderList;
  /** The first `limit` UTF-16 units of `text` without secrets, and without the beginning of one at the cut. */
  truncate(text: string, limit: number): string;
};

/**
 * Creates a redactor for `secrets`; without any it only hides the headers that carry credentials. `cuttable` are the
 * secrets that checks may see and so may leave partly in front of a `…`. Secrets concealed from checks are not in it:
 * an author who writes `abcd…` into a text would learn whether a secret begins so.
 */
export function createRedactor(secrets: readonly string[], cuttable: readonly string[] = []): Redactor {
  const nonEmptySecrets = secrets.filter((secret) => secret !== '');
  const redactText =
    nonEmptySecrets.length === 0 ? (unchanged: string) => unchanged : createTextRedactor(nonEmptySecrets, cuttable);
  const { literals, cores } = buildSecretForms(nonEmptySecrets);
  const maxFormLength = Math.max(0, ...literals.map(({ length }) => length), ...cores.map(({ length }) => length));
  return {
    redactText,
    redactHeaders: (headers) =>
      headers.map(([name, value]) => [name, isHiddenHeader(name) ? redactionMark : redactText(value)]),
    truncate(fullText, limit) {
      if (fullText.length <= limit) return redactText(fullText);
      return redactText(fullText.slice(0, findCut(fullText, limit, maxFormLength, [...literals, ...cores])));
    },
  };
}

const hiddenLengths = new Set([...hiddenHeaders].map(({ length }) => length));

/** Most names have another length, which is found sooner than their form in lower case. */
function isHiddenHeader(header: string): boolean {
  return hiddenLengths.has(header.length) && hiddenHeaders.has(header.toLowerCase());
}

function createTextRedactor(secrets: readonly string[], cuttable: readonly string[]): (text: string) => string {
  const all = buildSecretForms(secrets);
  const unescaped = { ...all, literals: all.literals.filter((literal) => !literal.includes('\\')) };
  const short = secrets.filter((secret) => secret.length < minSearchedLength);
  const cuttableForms = buildSecretForms(cuttable);
  return (text) => {
    if (short.includes(text)) return redactionMark;
    const forms = text.includes('\\') ? all : unescaped; // Most forms have backslashes, most texts have none.
    let result = replaceForms(text, forms);
    for (const secret of short) {
      const quoted = JSON.stringify(secret);
      if (result.includes(quoted)) result = result.replaceAll(quoted, `"${redactionMark}"`);
    }
    return result.includes('…') ? redactBeginnings(result, cuttableForms) : result;
  };
}

function replaceForms(text: string, { literals, cores }: SecretForms): string {
  let result = text;
  for (const literal of literals) if (result.includes(literal)) result = result.replaceAll(literal, redactionMark);
  for (const core of cores) if (result.includes(core)) result = replaceBase64Words(result, core);
  return result;
}

/**
 * Replaces every base64 word that contains `core`. Not a regular expression, which would be quadratic in long words.
 */
function replaceBase64Words(text: string, core: string): string {
  const parts: string[] = [];
  let doneUntil = 0;
  for (let index = text.indexOf(core); index !== -1; index = text.indexOf(core, doneUntil)) {
    let start = index;
    let end = index + core.length;
    while (start > doneUntil && isBase64(text.charCodeAt(start - 1))) start -= 1;
    while (end < text.length && isBase64(text.charCodeAt(end))) end += 1;
    parts.push(text.slice(doneUntil, start), redactionMark);
    doneUntil = end;
  }
  return parts.join('') + text.slice(doneUntil);
}

function isBase64(code: number): boolean {
  const isLetterOrDigit = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return isLetterOrDigit || code === 43 || code === 45 || code === 47 || code === 61 || code === 95;
}

/** Judging shortens values with `…`, which may leave the beginning of a secret before it. */
function redactBeginnings(text: string, { literals }: SecretForms): string {
  const parts = text.split('…');
  const last = parts.pop() ?? '';
  const clean = parts.map((part) => {
    const length = findBeginningAtEnd(part, literals);
    return length === 0 ? part : part.slice(0, -length) + redactionMark;
  });
  return [...clean, last].join('…');
}

/** Length of the longest suffix of `text` that begins a literal and is long enough to reveal something. */
function findBeginningAtEnd(text: string, literals: readonly string[]): number {
  for (let length = Math.min(text.length, (literals[0]?.length ?? 0) - 1); length >= minSearchedLength; length -= 1) {
    const ending = text.slice(-length);
    if (literals.some((literal) => literal.startsWith(ending))) return length;
  }
  return 0;
}

/** The index at or before `limit` where no form crosses the cut. */
function findCut(text: string, limit: number, maxFormLength: number, forms: readonly string[]): number {
  const windowStart = Math.max(0, limit - maxFormLength);
  const window = text.slice(windowStart, limit + maxFormLength);
  const crossings = forms.flatMap((form) => {
    const index = window.indexOf(form, Math.max(0, limit - windowStart - form.length + 1));
    return index !== -1 && windowStart + index < limit ? [windowStart + index] : [];
  });
  const cut = Math.min(limit, ...crossings);
  const last = text.charCodeAt(cut - 1);
  return last >= 0xd800 && last <= 0xdbff ? cut - 1 : cut;
}

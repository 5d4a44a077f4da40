/**
 * Takes secrets out of everything that is shown; what checks may see is said in conceal.ts.
 *
 * A value of fewer than four characters is redacted only where it is the whole of a header value, a text or a quoted JSON
 * string: replacing every `1` of a body would hide the body and tell the secret.
 */
import type { HeaderList } from '../run/evidence.ts';
import { type SecretForms, secretForms, shortestSearched } from './secret-forms.ts';

/** Stands in for a secret. */
export const redacted = '[redacted]';

const hiddenHeaders = new Set(['authorization', 'cookie', 'set-cookie', 'proxy-authorization', 'x-api-key']);

/** Redacts for one project. */
export type Redactor = {
  /** `text` without secrets; where it was shortened (`…`), also without the beginning of one of `cuttable`. */
  text(text: string): string;
  /** Header lines without secrets; the values of headers that carry credentials go whatever they are. */
  headers(headers: HeaderList): HeaderList;
  /** The first `limit` UTF-16 units of `text` without secrets, and without the beginning of one at the cut. */
  start(text: string, limit: number): string;
};

/**
 * A redactor for `secrets`; with none it only hides the headers that carry credentials. `cuttable` are those of them that checks
 * may see and so may leave half of in front of a `…`. Not those that are concealed from checks: whoever writes `abcd…` into a
 * text would learn whether a secret begins so.
 */
export function redactorOf(secrets: readonly string[], cuttable: readonly string[] = []): Redactor {
  const given = secrets.filter((secret) => secret !== '');
  const text = given.length === 0 ? (plain: string) => plain : textRedactor(given, cuttable);
  const { literals, cores } = secretForms(given);
  const longest = Math.max(0, ...literals.map(({ length }) => length), ...cores.map(({ length }) => length));
  return {
    text,
    headers: (headers) => headers.map(([name, value]) => [name, hides(name) ? redacted : text(value)]),
    start(whole, limit) {
      if (whole.length <= limit) return text(whole);
      return text(whole.slice(0, cutBefore(whole, limit, longest, [...literals, ...cores])));
    },
  };
}

function hides(header: string): boolean {
  return hiddenHeaders.has(header.toLowerCase());
}

function textRedactor(secrets: readonly string[], cuttable: readonly string[]): (text: string) => string {
  const all = secretForms(secrets);
  const unescaped = { ...all, literals: all.literals.filter((literal) => !literal.includes('\\')) };
  const short = secrets.filter((secret) => secret.length < shortestSearched);
  const halves = secretForms(cuttable);
  return (text) => {
    if (short.includes(text)) return redacted;
    const forms = text.includes('\\') ? all : unescaped; // Most forms have backslashes, most texts have none.
    let shown = replaced(text, forms);
    for (const secret of short) {
      const quoted = JSON.stringify(secret);
      if (shown.includes(quoted)) shown = shown.replaceAll(quoted, `"${redacted}"`);
    }
    return shown.includes('…') ? withoutBeginnings(shown, halves) : shown;
  };
}

function replaced(text: string, { literals, cores }: SecretForms): string {
  let shown = text;
  for (const literal of literals) if (shown.includes(literal)) shown = shown.replaceAll(literal, redacted);
  for (const core of cores) if (shown.includes(core)) shown = withoutWords(shown, core);
  return shown;
}

/** Replaces every base64 word that holds `core`. By hand: a regular expression would be quadratic in long words. */
function withoutWords(text: string, core: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (let at = text.indexOf(core); at !== -1; at = text.indexOf(core, done)) {
    let start = at;
    let end = at + core.length;
    while (start > done && isBase64(text.charCodeAt(start - 1))) start -= 1;
    while (end < text.length && isBase64(text.charCodeAt(end))) end += 1;
    pieces.push(text.slice(done, start), redacted);
    done = end;
  }
  return pieces.join('') + text.slice(done);
}

function isBase64(code: number): boolean {
  const isLetterOrDigit = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return isLetterOrDigit || code === 43 || code === 45 || code === 47 || code === 61 || code === 95;
}

/** Judging shortens values with `…`, which may leave the beginning of a secret in front of it. */
function withoutBeginnings(text: string, { literals }: SecretForms): string {
  const pieces = text.split('…');
  const last = pieces.pop() ?? '';
  const clean = pieces.map((piece) => {
    const length = beginningAtEnd(piece, literals);
    return length === 0 ? piece : piece.slice(0, -length) + redacted;
  });
  return [...clean, last].join('…');
}

/** Length of the longest end of `text` that begins a literal and is long enough to tell something. */
function beginningAtEnd(text: string, literals: readonly string[]): number {
  for (let length = Math.min(text.length, (literals[0]?.length ?? 0) - 1); length >= shortestSearched; length -= 1) {
    const end = text.slice(-length);
    if (literals.some((literal) => literal.startsWith(end))) return length;
  }
  return 0;
}

/** Where to cut at or before `limit` so that no form lies across the cut. */
function cutBefore(text: string, limit: number, longest: number, forms: readonly string[]): number {
  const from = Math.max(0, limit - longest);
  const around = text.slice(from, limit + longest);
  const across = forms.flatMap((form) => {
    const at = around.indexOf(form, Math.max(0, limit - from - form.length + 1));
    return at !== -1 && from + at < limit ? [from + at] : [];
  });
  const cut = Math.min(limit, ...across);
  const last = text.charCodeAt(cut - 1);
  return last >= 0xd800 && last <= 0xdbff ? cut - 1 : cut;
}

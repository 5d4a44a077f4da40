/** The shapes in which a secret may come back: as it is, escaped, in hexadecimal, or inside base64. */

/** Values shorter than this are redacted only where they stand alone: the letters of a short one are everywhere. */
export const shortestSearched = 4;

/** `literal` is replaced as it stands; a `core` is found inside a longer base64 word, which is replaced whole. */
export type SecretForms = { readonly literals: readonly string[]; readonly cores: readonly string[] };

const htmlNames: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Which ASCII characters writers of JSON give as `\uXXXX` though they need not: none (most), those of HTML (Go, Rails), with
 * quotation marks (PHP, Newtonsoft, Gson) or more (System.Text.Json), and each option of PHP by itself.
 */
const overEscaped = ['', '<>', '&', "'", '"', '+', '&<>', "&<>'", "&<>'=", `&<>'"`, `&<>'"+\``];
const slashes = ['/', '\\/', '\\u002f', '\\u002F'];

/** How one writer of JSON has it. */
type JsonStyle = { readonly escaped: string; readonly ascii: boolean; readonly slash: string; readonly upper: boolean };

const jsonStyles: readonly JsonStyle[] = overEscaped.flatMap((escaped) =>
  slashes.flatMap((slash) =>
    [false, true].flatMap((ascii) => [false, true].map((upper) => ({ escaped, slash, ascii, upper }))),
  ),
);

function asUnicodeEscapes(text: string, upper: boolean): string {
  return text.replaceAll(/[\s\S]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${upper ? hex.toUpperCase() : hex}`;
  });
}

function written(text: string, { escaped, ascii, slash, upper }: JsonStyle): string {
  const letters = [...text].map((letter) => {
    if (letter === '/') return slash;
    return escaped.includes(letter) || (ascii && letter > '\x7f') ? asUnicodeEscapes(letter, upper) : inJson(letter);
  });
  return letters.join('');
}

/** Inside a string of JSON, also of JSON that is itself a string of JSON. */
function jsonForms(secret: string): string[] {
  const once = [...new Set(jsonStyles.map((style) => written(secret, style)))];
  return once.flatMap((form) => [form, inJson(form)]);
}

function inUrl(text: string): string[] {
  try {
    const whole = encodeURIComponent(text);
    const strict = whole.replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
    const percent = [whole, strict, encodeURI(text)];
    return percent.flatMap((one) => [
      one,
      one.replaceAll('%20', '+'),
      one.replaceAll(/%../g, (hex) => hex.toLowerCase()),
    ]);
  } catch {
    return []; // A lone surrogate has no UTF-8, so it has no URL form either.
  }
}

function escapedForms(secret: string): string[] {
  const hex = Buffer.from(secret, 'utf8').toString('hex');
  return [
    secret,
    ...jsonForms(secret),
    hex,
    hex.toUpperCase(),
    secret.replaceAll(/[&<>"']/g, (letter) => htmlNames[letter] ?? letter),
    Buffer.from(secret, 'utf8').toString('latin1'),
    ...inUrl(secret),
  ];
}

/**
 * What base64 makes of the secret wherever it stands in a longer text: a letter carries six bits, so there are three ways,
 * each without the letters at its ends that also depend on the neighbours.
 */
function base64Cores(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const core = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function longestFirst(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text.length >= shortestSearched).sort((a, b) => b.length - a.length);
}

/** All forms of `secrets`, longest first, so that a secret inside another one does not leave the rest of it. */
export function secretForms(secrets: readonly string[]): SecretForms {
  const searched = secrets.filter((secret) => secret.length >= shortestSearched);
  return { literals: longestFirst(searched.flatMap(escapedForms)), cores: longestFirst(searched.flatMap(base64Cores)) };
}

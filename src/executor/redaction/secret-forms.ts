/** The forms in which a secret may appear in a text: verbatim, escaped, in hexadecimal, or within base64. */

/** Shorter values are redacted only where they stand alone, because short character sequences occur everywhere. */
export const minSearchedLength = 4;

/** `literals` are replaced verbatim; `cores` are found within a longer base64 word, which is replaced entirely. */
export type SecretForms = { readonly literals: readonly string[]; readonly cores: readonly string[] };

const htmlNames: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * ASCII characters that JSON writers escape as `\uXXXX` although they need not: none (most), those of HTML (Go, Rails),
 * with quotation marks (PHP, Newtonsoft, Gson) or more (System.Text.Json), and each option of PHP by itself.
 */
const overEscapedSets = ['', '<>', '&', "'", '"', '+', '&<>', "&<>'", "&<>'=", `&<>'"`, `&<>'"+\``];
const slashes = ['/', '\\/', '\\u002f', '\\u002F'];

/** The escaping style of one JSON writer. */
type JsonStyle = { readonly escaped: string; readonly ascii: boolean; readonly slash: string; readonly upper: boolean };

const jsonStyles: readonly JsonStyle[] = overEscapedSets.flatMap((escaped) =>
  slashes.flatMap((slash) =>
    [false, true].flatMap((ascii) => [false, true].map((upper) => ({ escaped, slash, ascii, upper }))),
  ),
);

function toUnicodeEscapes(text: string, upper: boolean): string {
  return text.replaceAll(/[\s\S]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${upper ? hex.toUpperCase() : hex}`;
  });
}

function formatJson(text: string, { escaped, ascii, slash, upper }: JsonStyle): string {
  const letters = [...text].map((letter) => {
    if (letter === '/') return slash;
    return escaped.includes(letter) || (ascii && letter > '\x7f')
      ? toUnicodeEscapes(letter, upper)
      : escapeJson(letter);
  });
  return letters.join('');
}

/** What the styles treat differently: the slash, what one of the sets names, and all that is not ASCII. */
function isStyled(letter: string): boolean {
  return letter === '/' || letter > '\x7f' || overEscapedSets.some((escaped) => escaped.includes(letter));
}

/** Within a JSON string, and within JSON that is itself a JSON string. Most secrets look the same in every style. */
function listJsonForms(secret: string): string[] {
  const styles = [...secret].some(isStyled) ? jsonStyles : jsonStyles.slice(0, 1);
  const once = [...new Set(styles.map((style) => formatJson(secret, style)))];
  return once.flatMap((form) => [form, escapeJson(form)]);
}

function listUrlForms(text: string): string[] {
  try {
    const encoded = encodeURIComponent(text);
    const strict = encoded.replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
    const percentForms = [encoded, strict, encodeURI(text)];
    return percentForms.flatMap((form) => [
      form,
      form.replaceAll('%20', '+'),
      form.replaceAll(/%../g, (hex) => hex.toLowerCase()),
    ]);
  } catch {
    return []; // A lone surrogate has no UTF-8 encoding, so it has no URL form.
  }
}

function listEscapedForms(secret: string): string[] {
  const hex = Buffer.from(secret, 'utf8').toString('hex');
  return [
    secret,
    ...listJsonForms(secret),
    hex,
    hex.toUpperCase(),
    secret.replaceAll(/[&<>"']/g, (letter) => htmlNames[letter] ?? letter),
    Buffer.from(secret, 'utf8').toString('latin1'),
    ...listUrlForms(secret),
  ];
}

/**
 * The base64 of the secret at any position within a longer text: one character carries six bits, so there are three
 * alignments, each without the characters at its ends that also depend on the neighbouring bytes.
 */
function listBase64Cores(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((leadingBytes) => {
    const encoded = Buffer.concat([Buffer.alloc(leadingBytes), bytes]).toString('base64');
    const core = encoded.slice(Math.ceil((leadingBytes * 8) / 6), Math.floor(((leadingBytes + bytes.length) * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function sortLongestFirst(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text.length >= minSearchedLength).sort((a, b) => b.length - a.length);
}

/** All forms of `secrets`, longest first, so that a secret contained in another one does not leave part of it. */
export function buildSecretForms(secrets: readonly string[]): SecretForms {
  const searched = secrets.filter((secret) => secret.length >= minSearchedLength);
  return {
    literals: sortLongestFirst(searched.flatMap(listEscapedForms)),
    cores: sortLongestFirst(searched.flatMap(listBase64Cores)),
  };
}

/** Text of strangers made safe to show: a target must not be able to move a cursor, hide text or break a file. */

// C0 but tab and line feed, DEL, C1, text direction controls, line separators, non-characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unsafe = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;

/** `text` with every unsafe character shown as its escape, such as `\u001b`; tabs and line feeds stay. */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replaceAll(unsafe, escapeOf);
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function escapeOf(character: string): string {
  if (character === '\r') return '\\r';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

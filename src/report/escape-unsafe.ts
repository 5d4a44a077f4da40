/** Makes untrusted text safe to display: a target must not be able to move a cursor, hide text or break a file. */

// C0 except tab and line feed, DEL, C1, text direction controls, line separators, non-characters.
const unsafeCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;

/** Replaces every unsafe character by its escape, such as `\u001b`; tabs and line feeds stay. */
export function escapeUnsafe(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replaceAll(unsafeCharacters, escapeCharacter);
}

/** The same, and tabs and line feeds too, so that the result is one line. */
export function escapeUnsafeLine(text: string): string {
  return escapeUnsafe(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function escapeCharacter(character: string): string {
  if (character === '\r') return '\\r';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

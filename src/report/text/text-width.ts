/** The width of texts on a terminal, in columns. */

/** East Asian wide and fullwidth forms (Unicode Standard Annex 11) and emoji. */
const wideCharacters =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const zeroWidthCharacter = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]$/u;
/** Most texts are plain: their width is their length. */
const plainAscii = /^[\x20-\x7e]*$/;

function getColumns(character: string): number {
  if (zeroWidthCharacter.test(character)) return 0;
  return wideCharacters.test(character) ? 2 : 1;
}

/** `text` is one line without control characters. */
export function measureWidth(text: string): number {
  if (plainAscii.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += getColumns(character);
  return columns;
}

/** `text`, or its beginning and `…` where it does not fit. */
export function fitToColumns(text: string, columns: number): string {
  if (measureWidth(text) <= columns) return text;
  let visible = '';
  let remaining = columns - 1;
  for (const character of text) {
    remaining -= getColumns(character);
    if (remaining < 0) break;
    visible += character;
  }
  return columns > 0 ? `${visible}…` : '';
}

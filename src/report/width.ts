/** How many columns a text takes up on a terminal. */

/** East Asian wide and fullwidth forms (Unicode Standard Annex 11) and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const unseen = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]$/u;
/** Most texts are plain and need no counting. */
const plain = /^[\x20-\x7e]*$/;

function columnsOf(character: string): number {
  if (unseen.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Columns of one line of text without control characters. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += columnsOf(character);
  return columns;
}

/** `text` where it fits into `columns`, else its beginning and `…`. */
export function fitted(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let shown = '';
  let left = columns - 1;
  for (const character of text) {
    left -= columnsOf(character);
    if (left < 0) break;
    shown += character;
  }
  return columns > 0 ? `${shown}…` : '';
}

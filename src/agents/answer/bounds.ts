/** Sizes of answers: nothing a tool says may fill a model's context. In UTF-16 units. */

/** The text of an answer. */
export const mostText = 16_000;
/** The data of an answer, as compact JSON. */
export const mostData = 48_000;
/** A piece of a long text; the rest is told by its offset. */
export const pieceLength = 12_000;

/** A piece of a text. `nextOffset` is null at its end. */
export type TextPiece = {
  readonly text: string;
  readonly offset: number;
  readonly nextOffset: number | null;
  readonly total: number;
};

/** The piece of `whole` at `offset`; it ends at a line where one ends in its last fifth. */
export function pieceOf(whole: string, offset: number, length = pieceLength): TextPiece {
  const total = whole.length;
  const start = Math.min(offset, total);
  if (total - start <= length) return { text: whole.slice(start), offset: start, nextOffset: null, total };
  const end = start + length;
  const lineEnd = whole.lastIndexOf('\n', end - 1) + 1;
  const cut = lineEnd > start + length * 0.8 ? lineEnd : withoutHalf(whole, end);
  return { text: whole.slice(start, cut), offset: start, nextOffset: cut, total };
}

/** Not between the two units of one character. */
function withoutHalf(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** The first items of `items` whose JSON has at most `most` characters together; at least one. */
export function fitting<T>(items: readonly T[], most: number): readonly T[] {
  let left = most;
  const end = items.findIndex((item, index) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0 && index > 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** `text` in at most `most` characters. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, withoutHalf(text, most))}…`;
}

/** `1 run`, `2 runs`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

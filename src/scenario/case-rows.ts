/** Rows of a Markdown table (GFM): `| a | b |`. In a cell, `\|` is a `|`; everything else is taken as it stands. */
import { type LinePiece, trimPiece } from './blocks.ts';

/** The text of a cell without the spaces around it; `start` is its offset in the whole text. */
export type Cell = LinePiece;

/** The cells of a row; undefined where the line does not begin with `|`. */
export function splitRow({ text, start }: LinePiece): readonly Cell[] | undefined {
  const trimmed = trimPiece(text, start);
  if (!trimmed.text.startsWith('|')) return undefined;
  const cells: Cell[] = [];
  let from = 1;
  for (let index = 1; index <= trimmed.text.length; index += 1) {
    const isEnd = index === trimmed.text.length;
    if (!isEnd && (trimmed.text[index] !== '|' || trimmed.text[index - 1] === '\\')) continue;
    // The `|` that closes the row begins no cell.
    if (isEnd && trimmed.text.slice(from).trim() === '' && cells.length > 0) break;
    const cell = trimPiece(trimmed.text.slice(from, index), trimmed.start + from);
    cells.push({ text: cell.text.replaceAll('\\|', '|'), start: cell.start });
    from = index + 1;
  }
  return cells;
}

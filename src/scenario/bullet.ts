/** Bullets of structured sections. Any marker and any indentation will do: nothing here can be nested. */
import { type Piece, trimmed } from './blocks.ts';

const bullet = /^(\s*(?:[-*+]|\d{1,9}[.)])(?:\s+\[[ xX]\])?(?:\s+|$))(.*)$/;

/** The text behind the marker (and a task's box), or undefined when the line has no marker. */
export function bulletOf(line: Piece): Piece | undefined {
  const found = bullet.exec(line.text);
  return found === null ? undefined : trimmed(found[2] ?? '', line.start + (found[1]?.length ?? 0));
}

/** Without the code marks around the whole text, which many put around what is to be taken literally. */
export function withoutCodeMarks(piece: Piece): Piece {
  const inner = /^`([^`]+)`$/.exec(piece.text)?.[1];
  return inner === undefined ? piece : trimmed(inner, piece.start + 1);
}

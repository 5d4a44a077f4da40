/** Bullets of structured sections. Any marker and any indentation are accepted, because bullets are never nested here. */
import { type LinePiece, trimPiece } from './blocks.ts';

const bullet = /^(\s*(?:[-*+]|\d{1,9}[.)])(?:\s+\[[ xX]\])?(?:\s+|$))(.*)$/;

/** The text after the marker (and the box of a task), or undefined when the line has no marker. */
export function parseBullet(line: LinePiece): LinePiece | undefined {
  const match = bullet.exec(line.text);
  return match === null ? undefined : trimPiece(match[2] ?? '', line.start + (match[1]?.length ?? 0));
}

/** Removes code marks around the whole text, which many authors put around literal text. */
export function stripCodeMarks(piece: LinePiece): LinePiece {
  const inner = /^`([^`]+)`$/.exec(piece.text)?.[1];
  return inner === undefined ? piece : trimPiece(inner, piece.start + 1);
}

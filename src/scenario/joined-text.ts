/** Lines of a fence as one text whose offsets map to offsets in the scenario. */
import type { LinePiece } from './blocks.ts';

/** `text` has LF between the lines; `toSourceOffset` gives the offset in the scenario of an offset in it. */
export type JoinedText = { readonly text: string; toSourceOffset(offset: number): number };

/** Index of the last of the ascending `starts` that is not after `offset`; 0 if there is none. */
function lastUpTo(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function joinPieces(pieces: readonly LinePiece[]): JoinedText {
  const starts: number[] = [];
  let length = 0;
  for (const { text } of pieces) {
    starts.push(length);
    length += text.length + 1;
  }
  return {
    text: pieces.map(({ text }) => text).join('\n'),
    toSourceOffset(offset) {
      const line = lastUpTo(starts, offset);
      return (pieces[line]?.start ?? 0) + offset - (starts[line] ?? 0);
    },
  };
}

/** The lines up to `length` of the joined text. */
export function splitPiecesAt(pieces: readonly LinePiece[], length: number): readonly LinePiece[] {
  const remainingPieces: LinePiece[] = [];
  let remainingLength = length;
  for (const { text, start } of pieces) {
    if (remainingLength < 0 || (remainingLength === 0 && remainingPieces.length > 0)) break;
    remainingPieces.push({ text: text.slice(0, remainingLength), start });
    remainingLength -= text.length + 1;
  }
  return remainingPieces;
}

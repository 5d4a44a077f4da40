import { vpError } from '../../errors/vp-error.ts';
import type { ToolContext } from './tool.ts';

/** Size limits of results, in UTF-16 units: one result must not fill a model's context. */

export const maxResultTextLength = 16_000;
/** As compact JSON. */
export const maxResultDataLength = 48_000;
/** A piece of a long text; the next one is requested by its offset. */
export const maxPieceLength = 12_000;

/** `nextOffset` is null at the end of the text. */
export type TextPiece = {
  readonly text: string;
  readonly offset: number;
  readonly nextOffset: number | null;
  readonly total: number;
};

/** The piece of `fullText` at `offset`; it ends at a line break if there is one in its last fifth. */
export function sliceText(fullText: string, offset: number, length = maxPieceLength): TextPiece {
  const total = fullText.length;
  const start = Math.min(offset, total);
  if (total - start <= length) return { text: fullText.slice(start), offset: start, nextOffset: null, total };
  const end = start + length;
  const lineEnd = fullText.lastIndexOf('\n', end - 1) + 1;
  const cut = lineEnd > start + length * 0.8 ? lineEnd : cutBeforeHalfCharacter(fullText, end);
  return { text: fullText.slice(start, cut), offset: start, nextOffset: cut, total };
}

/** Avoids cutting between the two units of one character. */
function cutBeforeHalfCharacter(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** The first `items` whose JSON has at most `maxLength` characters in total; at least one item. */
export function takeWithinLength<T>(items: readonly T[], maxLength: number): readonly T[] {
  let remaining = maxLength;
  const end = items.findIndex((item, index) => {
    remaining -= JSON.stringify(item).length + 1;
    return remaining < 0 && index > 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

export function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, cutBeforeHalfCharacter(text, maxLength))}…`;
}

/** `1 run`, `2 runs`. */
export function formatQuantity(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Joins the lines that are not empty. */
export function joinLines(...lines: readonly (string | undefined | null | false)[]): string {
  return lines.filter((line) => typeof line === 'string' && line !== '').join('\n');
}

/** A token is valid for one instance; naming that instance is allowed. Throws AGENT_INSTANCE_OTHER for another one. */
export function assertOwnInstance(requestedInstance: string | undefined, { instance }: ToolContext): void {
  if (requestedInstance !== undefined && requestedInstance !== instance)
    throw vpError('AGENT_INSTANCE_OTHER', { token_instance: instance, requested: requestedInstance });
}

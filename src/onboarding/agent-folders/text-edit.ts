/** Edits of a text that belongs to the user: what is not edited stays byte for byte. */

/** Replaces `length` UTF-16 units at `offset` by `content`. */
export type TextEdit = { readonly offset: number; readonly length: number; readonly content: string };

/** A range of a text, in UTF-16 units. */
export type TextRange = { readonly offset: number; readonly length: number };

/** Applies edits that do not overlap, in any order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const editsFromEnd = [...edits].sort((a, b) => b.offset - a.offset);
  return editsFromEnd.reduce(
    (result, { offset, length, content }) => result.slice(0, offset) + content + result.slice(offset + length),
    text,
  );
}

/** The range after an edit: it grows with an edit inside. Undefined where an edit overlaps its border. */
export function moveRange(range: TextRange, { offset, length, content }: TextEdit): TextRange | undefined {
  const growth = content.length - length;
  const end = range.offset + range.length;
  if (offset >= end) return range;
  if (offset + length <= range.offset) return { ...range, offset: range.offset + growth };
  if (offset < range.offset || offset + length > end) return undefined;
  return { ...range, length: range.length + growth };
}

export function detectLineEnding(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** Edits of a text that belongs to somebody else: what is not edited stays byte for byte. */

/** Takes `length` UTF-16 units at `offset` out and puts `content` there. */
export type TextEdit = { readonly offset: number; readonly length: number; readonly content: string };

/** A stretch of a text, in UTF-16 units. */
export type Stretch = { readonly offset: number; readonly length: number };

/** Applies edits that do not overlap, in any order. */
export function edited(text: string, edits: readonly TextEdit[]): string {
  const fromBehind = [...edits].sort((a, b) => b.offset - a.offset);
  return fromBehind.reduce(
    (result, { offset, length, content }) => result.slice(0, offset) + content + result.slice(offset + length),
    text,
  );
}

/** Where `edit` of the old text has put its content in the new one, when it is the only edit. */
export function putBy({ offset, content }: TextEdit): Stretch {
  return { offset, length: content.length };
}

/** The stretch of the new text that was `stretch` in the old: it grows with an edit inside; undefined where one crosses it. */
export function movedBy(stretch: Stretch, { offset, length, content }: TextEdit): Stretch | undefined {
  const grown = content.length - length;
  const end = stretch.offset + stretch.length;
  if (offset >= end) return stretch;
  if (offset + length <= stretch.offset) return { ...stretch, offset: stretch.offset + grown };
  if (offset < stretch.offset || offset + length > end) return undefined;
  return { ...stretch, length: stretch.length + grown };
}

/** How lines of a text end. */
export function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

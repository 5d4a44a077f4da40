/** What is to be remembered, checked and in the form in which it is kept. */
import { vpError } from '../errors/vp-error.ts';
import { memoryBounds } from './words.ts';

/** What is to be remembered. */
export type MemoryInput = {
  readonly text: string;
  readonly tags?: readonly string[] | undefined;
  readonly created_at?: string | undefined;
};

/** In the form in which it is kept. */
export type Draft = { readonly body: string; readonly tags: string; readonly createdAtMs: number | undefined };

/** Throws MEMORY_INPUT_INVALID. */
export function invalid(problem: string): never {
  throw vpError('MEMORY_INPUT_INVALID', { problem });
}

/** Tags between spaces: ` a b `. A tag is one word. Throws MEMORY_INPUT_INVALID. */
export function tagText(tags: readonly string[]): string {
  if (tags.length > memoryBounds.tags) invalid(`more than ${memoryBounds.tags} tags`);
  const plain = [...new Set(tags.map((tag) => tag.trim().toLowerCase()))];
  const odd = plain.find((tag) => !/^[\p{L}\p{N}\p{M}._:/#+-]+$/u.test(tag) || tag.length > memoryBounds.tagLength);
  if (odd !== undefined) invalid(`the tag ${JSON.stringify(odd.slice(0, 80))} is not one word of letters and digits`);
  return plain.length === 0 ? '' : ` ${plain.join(' ')} `;
}

/** The text without characters that nobody sees. Throws MEMORY_INPUT_INVALID. */
export function bodyOf(text: string): string {
  const body = text.replaceAll(/[[\p{Cc}\uE000\uE001]--[\t\n\r]]/gv, '').trim();
  if (body === '') invalid('the text is empty');
  if (body.length > memoryBounds.textLength) invalid(`the text is longer than ${memoryBounds.textLength} characters`);
  return body;
}

/** All of it, checked. Throws MEMORY_INPUT_INVALID. */
export function draftOf({ text, tags = [], created_at }: MemoryInput): Draft {
  const createdAtMs = created_at === undefined ? undefined : Date.parse(created_at);
  if (Number.isNaN(createdAtMs)) invalid('created_at is no moment');
  return { body: bodyOf(text), tags: tagText(tags), createdAtMs };
}

/** Validates and normalizes memories. */
import { vpError } from '../errors/vp-error.ts';
import { memoryBounds } from './types.ts';

export type MemoryInput = {
  readonly text: string;
  readonly tags?: readonly string[] | undefined;
  readonly created_at?: string | undefined;
};

export type MemoryDraft = { readonly body: string; readonly tags: string; readonly createdAtMs: number | undefined };

/** Throws MEMORY_INPUT_INVALID. */
export function throwInvalidMemoryInput(problem: string): never {
  throw vpError('MEMORY_INPUT_INVALID', { problem });
}

/** Tags between spaces: ` a b `. A tag is one word. Throws MEMORY_INPUT_INVALID. */
export function toTagText(tags: readonly string[]): string {
  if (tags.length > memoryBounds.tags) throwInvalidMemoryInput(`more than ${memoryBounds.tags} tags`);
  const normalized = [...new Set(tags.map((tag) => tag.trim().toLowerCase()))];
  const invalidTag = normalized.find(
    (tag) => !/^[\p{L}\p{N}\p{M}._:/#+-]+$/u.test(tag) || tag.length > memoryBounds.tagLength,
  );
  if (invalidTag !== undefined)
    throwInvalidMemoryInput(`the tag ${JSON.stringify(invalidTag.slice(0, 80))} is not one word of letters and digits`);
  return normalized.length === 0 ? '' : ` ${normalized.join(' ')} `;
}

/** Removes invisible characters. Throws MEMORY_INPUT_INVALID. */
export function toMemoryText(text: string): string {
  const body = text.replaceAll(/[[\p{Cc}\uE000\uE001]--[\t\n\r]]/gv, '').trim();
  if (body === '') throwInvalidMemoryInput('the text is empty');
  if (body.length > memoryBounds.textLength)
    throwInvalidMemoryInput(`the text is longer than ${memoryBounds.textLength} characters`);
  return body;
}

/** Throws MEMORY_INPUT_INVALID. */
export function toMemoryDraft({ text, tags = [], created_at }: MemoryInput): MemoryDraft {
  const createdAtMs = created_at === undefined ? undefined : Date.parse(created_at);
  if (Number.isNaN(createdAtMs)) throwInvalidMemoryInput('created_at is not a valid time');
  return { body: toMemoryText(text), tags: toTagText(tags), createdAtMs };
}

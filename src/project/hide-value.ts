/** Shorter values cannot be told from parts of words. */
export const minHideableLength = 4;

/**
 * `text` with `mark` in place of a secret. A short one is replaced only where it stands alone: replacing each `y` of a sentence would
 * spoil the sentence and reveal the secret.
 */
export function hideValue(text: string, value: string, mark: string): string {
  if (value === '') return text;
  if (value.length >= minHideableLength) return text.replaceAll(value, () => mark);
  return text.replaceAll(new RegExp(`(?<!\\w)${RegExp.escape(value)}(?!\\w)`, 'g'), () => mark);
}

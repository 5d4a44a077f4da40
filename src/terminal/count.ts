/** `2 errors`, `1 error`; empty for 0. */
export function formatNounCount(count: number, noun: string): string {
  if (count === 0) return '';
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

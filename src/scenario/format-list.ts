/** `a`, `b` and `c`, each in code marks; empty for none. */
export function formatList(items: readonly string[]): string {
  const marked = items.map((word) => `\`${word}\``);
  const last = marked.at(-1) ?? '';
  return marked.length < 2 ? last : `${marked.slice(0, -1).join(', ')} and ${last}`;
}

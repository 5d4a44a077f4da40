/** Fuzzy matching: letters in order, with a better score for adjacent letters and starts of words. */

const isWordStart = (text: string, index: number): boolean => index === 0 || /[\s\-_./:]/.test(text[index - 1] ?? '');

/** Higher is better. Undefined if a letter is missing. An empty query matches everything. */
export function fuzzyScore(query: string, text: string): number | undefined {
  const letters = query.toLowerCase().replaceAll(/\s+/g, '');
  const haystack = text.toLowerCase();
  const exactIndex = haystack.indexOf(query.trim().toLowerCase());
  if (letters !== '' && exactIndex >= 0)
    return 1000 + (isWordStart(haystack, exactIndex) ? 100 : 0) - exactIndex - haystack.length / 100;
  let score = 0;
  let lastIndex = -1;
  for (const letter of letters) {
    const next = haystack.indexOf(letter, lastIndex + 1);
    if (next < 0) return undefined;
    score += (next === lastIndex + 1 ? 5 : 0) + (isWordStart(haystack, next) ? 8 : 0) - (next - lastIndex - 1) / 10;
    lastIndex = next;
  }
  return score - haystack.length / 100;
}

/** Best matches first. Equal scores keep their order. */
export function fuzzyFilter<T>(query: string, items: readonly T[], getText: (item: T) => string, limit: number): T[] {
  const scored = items.flatMap((item) => {
    const itemScore = fuzzyScore(query, getText(item));
    return itemScore === undefined ? [] : [{ item: item, itemScore: itemScore }];
  });
  return scored
    .sort((a, b) => b.itemScore - a.itemScore)
    .slice(0, limit)
    .map(({ item }) => item);
}

import { closest, distance } from 'fastest-levenshtein';

/** The candidate that `word` was probably meant to be; undefined when none is near. Case, `-` and `_` count little. */
export function nearestOf(word: string, candidates: readonly string[]): string | undefined {
  const same = candidates.find((candidate) => plain(candidate) === plain(word));
  if (same !== undefined || candidates.length === 0) return same;
  const nearest = closest(word, [...candidates]);
  return distance(word, nearest) <= Math.max(1, Math.floor(word.length / 3)) ? nearest : undefined;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, '');
}

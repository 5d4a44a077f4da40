/** Did you mean: the known word that was probably meant. */
import { distance } from 'fastest-levenshtein';

/** Number of letters to change; two transposed neighbours count as one (`rnu`, `psuh`). */
export function countMistakes(word: string, known: string): number {
  const index = [...word].findIndex((letter, index) => letter !== known[index]);
  const swapped = word.slice(0, index) + word.charAt(index + 1) + word.charAt(index) + word.slice(index + 2);
  return index >= 0 && swapped === known ? 1 : distance(word, known);
}

/** The nearest of `known`, if `word` is at most a third of its letters away from it (at least one); case does not count. */
export function findSuggestion(word: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let fewestMistakes = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const mistakes = countMistakes(word.toLowerCase(), candidate.toLowerCase());
    const maxMistakes = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (mistakes > maxMistakes || mistakes >= fewestMistakes) continue;
    nearest = candidate;
    fewestMistakes = mistakes;
  }
  return nearest;
}

/** For the `{{hint}}` of a cure: `` did you mean `x`?  `` followed by a space, or an empty string. */
export function formatSuggestion(word: string, known: Iterable<string>): string {
  const nearest = findSuggestion(word, known);
  return nearest === undefined ? '' : `did you mean \`${nearest}\`? `;
}

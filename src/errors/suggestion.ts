/** Did you mean: the known word that was probably meant. */
import { distance } from 'fastest-levenshtein';

/** Letters to change; two neighbours the wrong way round are one mistake (`rnu`, `psuh`). */
function mistakesBetween(word: string, known: string): number {
  const at = [...word].findIndex((letter, index) => letter !== known[index]);
  const swapped = word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
  return at >= 0 && swapped === known ? 1 : distance(word, known);
}

/** The nearest of `known`, if `word` is at most a third of its letters away from it (at least one); case does not count. */
export function suggestion(word: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const away = mistakesBetween(word.toLowerCase(), candidate.toLowerCase());
    const allowed = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (away > allowed || away >= least) continue;
    nearest = candidate;
    least = away;
  }
  return nearest;
}

/** For the `{{hint}}` of a cure: `` did you mean `x`?  `` with a space behind it, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const nearest = suggestion(word, known);
  return nearest === undefined ? '' : `did you mean \`${nearest}\`? `;
}

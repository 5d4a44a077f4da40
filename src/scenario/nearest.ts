/** Did you mean: the known word that a written one most likely stands for. */
import { distance } from 'fastest-levenshtein';

/** Longer words are no misspellings; this keeps a hostile text cheap. */
const longest = 60;

/** The nearest of `known`, upper and lower case alike, within a third of the length; undefined when none is near. */
export function nearest<K extends string>(written: string, known: readonly K[]): K | undefined {
  if (written.length > longest) return undefined;
  const word = written.toLowerCase();
  let best: K | undefined;
  let bestEdits = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const edits = distance(word, candidate.toLowerCase());
    if (edits < bestEdits) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}

/** `a`, `b` and `c`, each in code marks. */
export function listed(words: readonly string[]): string {
  const marked = words.map((word) => `\`${word}\``);
  const last = marked.at(-1) ?? '';
  return marked.length < 2 ? last : `${marked.slice(0, -1).join(', ')} and ${last}`;
}

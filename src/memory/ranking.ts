/**
 * Which memories fit a question best: BM25 with the numbers of this partition alone. SQLite's own ranking counts words over
 * the whole file, so that what other people wrote would move one's own results.
 */

/** A memory with the words that were found in it, each between \uE000 and \uE001. */
export type Candidate = { readonly marked: string; readonly updatedAtMs: number };

/** How many memories there are, and how many have any of the question's words. */
export type Corpus = {
  readonly memories: number;
  readonly averageLength: number;
  readonly rarity: ReadonlyMap<string, number>;
};

const [saturation, lengthWeight] = [1.2, 0.75];

/** The words of a question, in small letters, each once. */
export function wordsOfQuestion(question: string, most: number): string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(words)].slice(0, most);
}

/** A word as FTS5 reads it; longer ones also as a beginning. */
export function quotedWord(word: string): string {
  return word.length >= 3 ? `"${word}" OR "${word}"*` : `"${word}"`;
}

/** What a word counts: much where few memories have it. */
export function rarityOf(memories: number, withWord: number): number {
  return Math.log(1 + (memories - withWord + 0.5) / (withWord + 0.5));
}

function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** The word of the question that a found word stands for: the one with which it shares most letters. */
function meant(found: string, words: readonly string[]): string | undefined {
  const shared = (word: string): number => {
    let at = 0;
    while (at < word.length && word[at] === found[at]) at += 1;
    return at;
  };
  return words.reduce<string | undefined>(
    (best, word) => (shared(plain(word)) > (best === undefined ? 0 : shared(plain(best))) ? word : best),
    undefined,
  );
}

/** How well a memory fits. */
export function scoreOf({ marked }: Candidate, { averageLength, rarity }: Corpus): number {
  const words = [...rarity.keys()];
  const counts = new Map<string, number>();
  for (const [, found = ''] of marked.matchAll(/\uE000([^\uE001]*)\uE001/g)) {
    const word = meant(plain(found), words);
    if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const norm = saturation * (1 - lengthWeight + (lengthWeight * marked.length) / Math.max(1, averageLength));
  let score = 0;
  for (const [word, count] of counts) score += (rarity.get(word) ?? 0) * ((count * (saturation + 1)) / (count + norm));
  return score;
}

/** Best first; among equals the newest. */
export function ranked<T extends Candidate>(candidates: readonly T[], corpus: Corpus): T[] {
  const scored = candidates.map((candidate) => ({ candidate, score: scoreOf(candidate, corpus) }));
  scored.sort((a, b) => b.score - a.score || b.candidate.updatedAtMs - a.candidate.updatedAtMs);
  return scored.map(({ candidate }) => candidate);
}

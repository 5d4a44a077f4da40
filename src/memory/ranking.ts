/**
 * BM25 ranking with the statistics of one partition. The database's own ranking counts words over the whole file, so other
 * people's memories would affect the results.
 */

/** `marked` is the text with matches between \uE000 and \uE001. */
export type Candidate = { readonly marked: string; readonly updatedAtMs: number };

/** The size of a partition and the rarity of the query's terms. */
export type CorpusStatistics = {
  readonly memories: number;
  readonly averageLength: number;
  readonly rarity: ReadonlyMap<string, number>;
};

const [saturation, lengthWeight] = [1.2, 0.75];

/** The distinct words of a query, in lower case. */
export function toQueryWords(query: string, max: number): string[] {
  const terms = query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(terms)].slice(0, max);
}

/** Inverse document frequency: higher for rare terms. */
export function computeRarity(memories: number, matching: number): number {
  return Math.log(1 + (memories - matching + 0.5) / (matching + 0.5));
}

function foldAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** The term with the longest common prefix. */
function findMatchingTerm(markedWord: string, terms: readonly string[]): string | undefined {
  const countSharedLetters = (term: string): number => {
    let length = 0;
    while (length < term.length && term[length] === markedWord[length]) length += 1;
    return length;
  };
  return terms.reduce<string | undefined>(
    (best, term) =>
      countSharedLetters(foldAccents(term)) > (best === undefined ? 0 : countSharedLetters(foldAccents(best)))
        ? term
        : best,
    undefined,
  );
}

function computeScore({ marked }: Candidate, { averageLength, rarity }: CorpusStatistics): number {
  const terms = [...rarity.keys()];
  const counts = new Map<string, number>();
  for (const [, markedWord = ''] of marked.matchAll(/\uE000([^\uE001]*)\uE001/g)) {
    const term = findMatchingTerm(foldAccents(markedWord), terms);
    if (term !== undefined) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const norm = saturation * (1 - lengthWeight + (lengthWeight * marked.length) / Math.max(1, averageLength));
  let score = 0;
  for (const [term, count] of counts) score += (rarity.get(term) ?? 0) * ((count * (saturation + 1)) / (count + norm));
  return score;
}

/** Best first; newer memories first among equal scores. */
export function rankCandidates<T extends Candidate>(candidates: readonly T[], corpus: CorpusStatistics): T[] {
  const scored = candidates.map((candidate) => ({ candidate, score: computeScore(candidate, corpus) }));
  scored.sort((a, b) => b.score - a.score || b.candidate.updatedAtMs - a.candidate.updatedAtMs);
  return scored.map(({ candidate }) => candidate);
}

/** Random choices that a seed repeats. */

export type SeededRandom = { pick<T>(items: readonly T[]): T };

/** Mulberry32: the same numbers for the same seed. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed;
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  return { pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T };
}

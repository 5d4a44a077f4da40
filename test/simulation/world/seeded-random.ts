/** Random numbers that a seed determines. */
import type { Random } from '../../../src/environment/random.ts';

export type SeededRandom = Random & {
  /** At least 0 and less than 1. */
  next(): number;
  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly [T, ...T[]]): T;
};

/** FNV-1a, 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** The generator sfc32. Different seeds, and names that differ in one letter, give unrelated sequences. */
export function createSeededRandom(seed: string): SeededRandom {
  let [a, b, c, counter] = [hashText(seed), hashText(`${seed}/b`), hashText(`c/${seed}`), 1];
  const nextInteger = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round += 1) nextInteger();
  const next = (): number => nextInteger() / 2 ** 32;
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  const bytes = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => nextInteger() & 0xff);
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (values) => values[integer(0, values.length - 1)] ?? values[0],
    bytes,
    token: (size) => Buffer.from(bytes(size)).toString('base64url'),
  };
}

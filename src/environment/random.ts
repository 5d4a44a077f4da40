import { randomFillSync } from 'node:crypto';

/** Randomness as a parameter. */
export type Random = {
  /** `size` unpredictable bytes. Throws RangeError. */
  bytes(size: number): Uint8Array;
  /** An unpredictable text of `size` bytes, base64url. */
  token(size: number): string;
};

const poolBytes = 4096;
/** More than this is asked for on its own. */
const smallBytes = 64;

/**
 * The operating system's generator. A few bytes come out of a supply that is asked for as a whole, since asking costs more
 * than what is asked for; what was given out is overwritten in the supply.
 */
export const systemRandom: Random = ((): Random => {
  const pool = new Uint8Array(poolBytes);
  let used = poolBytes;
  const bytes = (size: number): Uint8Array => {
    if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`${size} is no number of bytes`);
    if (size > smallBytes) return randomFillSync(new Uint8Array(size));
    if (used + size > poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    const chunk = pool.slice(used, used + size);
    pool.fill(0, used, used + size);
    used += size;
    return chunk;
  };
  return { bytes, token: (size) => Buffer.from(bytes(size)).toString('base64url') };
})();

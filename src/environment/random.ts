import { randomFillSync } from 'node:crypto';

/** Randomness as a parameter. */
export type Random = {
  /** `size` unpredictable bytes. Throws RangeError. */
  bytes(size: number): Uint8Array;
  /** An unpredictable text of `size` bytes, base64url. It does not begin with `-`, so that no command line takes it for a flag. */
  token(size: number): string;
};

const poolBytes = 4096;
/** Larger requests bypass the pool. */
const smallBytes = 64;

/**
 * The operating system's generator. Small requests are served from a pool that is filled in one call, because a call costs more
 * than the bytes. Bytes that were returned are overwritten in the pool.
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
  const token = (size: number): string => {
    const text = Buffer.from(bytes(size)).toString('base64url');
    return text.startsWith('-') ? token(size) : text;
  };
  return { bytes, token };
})();

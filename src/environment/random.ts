import { randomBytes } from 'node:crypto';

/** Randomness as a parameter. */
export type Random = {
  /** `size` unpredictable bytes. */
  bytes(size: number): Uint8Array;
  /** An unpredictable text of `size` bytes, base64url. */
  token(size: number): string;
};

/** The operating system's generator. */
export const systemRandom: Random = {
  bytes: (size) => randomBytes(size),
  token: (size) => randomBytes(size).toString('base64url'),
};

import { gzipSync } from 'node:zlib';

let compressed: Buffer | undefined;

/** 100 MB of zeros, which take half a second to compress: once for all tables of targets, when the first is met. */
export const compressZeros = (): Buffer => (compressed ??= gzipSync(Buffer.alloc(100_000_000)));

import { gzipSync } from 'node:zlib';

/** 100 MB of zeros, which take half a second to compress: once for all tables of targets. */
export const compressedZeros = gzipSync(Buffer.alloc(100_000_000));

import { closeSync, openSync, readSync } from 'node:fs';

const chunkBytes = 65_536;

/** The first `maxBytes` of a file, pipe or device as text: a device may have no end. Throws system errors. */
export function readTextStart(file: string, maxBytes: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const chunks: Uint8Array[] = [];
    for (let remaining = maxBytes; remaining > 0; ) {
      const chunk = Buffer.alloc(Math.min(chunkBytes, remaining));
      const count = readSync(descriptor, chunk);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      remaining -= count;
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

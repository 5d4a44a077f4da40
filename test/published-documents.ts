/** OpenAPI documents as their authors publish them; where they come from is in `import/published/SOURCE.md`. */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

export type PublishedName = 'github' | 'stripe';

export const readPublishedDocument = (name: PublishedName): string =>
  brotliDecompressSync(readFileSync(`${import.meta.dirname}/import/published/${name}.json.br`)).toString('utf8');

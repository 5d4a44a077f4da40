/**
 * Build step, no browser code: the table of errors as pages need it. What the API refuses with brings its own words, so
 * that pages carry the words of those errors only that they raise themselves, and the status of all others.
 */
import { readFileSync } from 'node:fs';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import type { ErrorRow } from '../errors/row.ts';
import { errorTable } from '../errors/table.ts';

type PageRow = Pick<ErrorRow, 'sentence' | 'cure' | 'status' | 'severity'>;

/** Replaces the table while bundling what `options` say. A code counts as raised by pages when one of their files quotes it. */
export async function pageErrors(options: BuildOptions): Promise<Plugin> {
  const quoted = await quotedCodes(options);
  const contents = `export const errorTable = ${JSON.stringify(pageTable(quoted))};`;
  return {
    name: 'page-errors',
    setup: ({ onLoad }) => onLoad({ filter: /[\\/]errors[\\/]table\.ts$/ }, () => ({ contents })),
  };
}

async function quotedCodes(options: BuildOptions): Promise<ReadonlySet<string>> {
  const { metafile } = await build({ ...options, write: false, minify: false, metafile: true });
  const own = Object.keys(metafile?.inputs ?? {}).filter((file) => /(^|\/)src\//.test(file));
  return new Set(own.flatMap((file) => codesIn(readFileSync(file, 'utf8'))));
}

function codesIn(source: string): string[] {
  return Array.from(source.matchAll(/['"`]([A-Z][A-Z0-9_]+)['"`]/g), ([, code = '']) => code);
}

/** Rows of all codes; those of `quoted` with their words. */
export function pageTable(quoted: ReadonlySet<string>): Record<string, PageRow> {
  const rows: readonly (readonly [string, ErrorRow])[] = Object.entries(errorTable);
  return Object.fromEntries(
    rows.map(([code, { sentence, cure, status, severity }]) => [
      code,
      quoted.has(code) ? { sentence, cure, status, severity } : { sentence: '', cure: '', status, severity },
    ]),
  );
}

/**
 * Build step, no browser code: the error table as pages need it. Errors of the API arrive with their texts, so the bundle
 * contains the texts only of errors that pages raise themselves, and just the status of all others.
 */
import { readFileSync } from 'node:fs';
import type { Metafile, Plugin } from 'esbuild';
import type { ErrorRow } from '../../errors/row.ts';
import { errorTable } from '../../errors/table.ts';

type PageErrorRow = Pick<ErrorRow, 'sentence' | 'cure' | 'status' | 'severity'>;

/** Replaces the error table in the bundle of `metafile`. A code counts as raised when a bundled source file quotes it. */
export function createErrorTablePlugin(metafile: Metafile): Plugin {
  const raisedCodes = findRaisedCodes(metafile);
  const contents = `export const errorTable = ${JSON.stringify(buildPageErrorTable(raisedCodes))};`;
  return {
    name: 'error-table',
    setup: ({ onLoad }) => onLoad({ filter: /[\\/]errors[\\/]table\.ts$/ }, () => ({ contents })),
  };
}

function findRaisedCodes({ inputs }: Metafile): ReadonlySet<string> {
  const ownFiles = Object.keys(inputs).filter((file) => /(^|\/)src\//.test(file));
  return new Set(ownFiles.flatMap((file) => listQuotedCodes(readFileSync(file, 'utf8'))));
}

function listQuotedCodes(source: string): string[] {
  return Array.from(source.matchAll(/['"`]([A-Z][A-Z0-9_]+)['"`]/g), ([, code = '']) => code);
}

/** Returns the rows of all codes, with texts for `raisedCodes` only. */
export function buildPageErrorTable(raisedCodes: ReadonlySet<string>): Record<string, PageErrorRow> {
  const rows: readonly (readonly [string, ErrorRow])[] = Object.entries(errorTable);
  return Object.fromEntries(
    rows.map(([code, { sentence, cure, status, severity }]) => [
      code,
      raisedCodes.has(code) ? { sentence, cure, status, severity } : { sentence: '', cure: '', status, severity },
    ]),
  );
}

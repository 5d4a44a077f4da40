/** The error table, kept honest: every code is raised somewhere, proved by some test, and says what to do. */
import { globSync, readFileSync } from 'node:fs';
import t from 'tap';
import { errorPage } from '../src/errors/page.ts';
import type { ErrorRow } from '../src/errors/row.ts';
import { errorTable } from '../src/errors/table.ts';

const rows: readonly [string, ErrorRow][] = Object.entries(errorTable);

/** The text of all files that match, as one. */
function textOf(pattern: string, leaveOut: RegExp): string {
  const files = globSync(pattern).filter((file) => !leaveOut.test(file.replaceAll('\\', '/')));
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

function quotedIn(text: string): (code: string) => boolean {
  const words = new Set(text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b/g));
  return (code) => words.has(code);
}

t.test('every code is raised by the product', async (t) => {
  const isRaised = quotedIn(textOf('src/**/*.{ts,tsx}', /^src\/errors\//));
  t.same(
    rows.map(([code]) => code).filter((code) => !isRaised(code)),
    [],
  );
});

t.test('every code is proved by a test', async (t) => {
  const isProved = quotedIn(textOf('test/**/*.{ts,tsx,md,json,txt}', /^test\/errors\.test\.ts$/));
  t.same(
    rows.map(([code]) => code).filter((code) => !isProved(code)),
    [],
  );
});

t.test('no area takes a code of another', async (t) => {
  const areas = globSync('src/errors/*.ts').filter((file) =>
    /export const \w+Errors =/.test(readFileSync(file, 'utf8')),
  );
  const codes: string[] = [];
  for (const file of areas) {
    const area: Record<string, object> = await import(`../${file}`);
    for (const [name, table] of Object.entries(area)) if (name.endsWith('Errors')) codes.push(...Object.keys(table));
  }
  t.same(codes.sort(), rows.map(([code]) => code).sort());
});

t.test('codes are words in capitals', async (t) => {
  t.same(
    rows.map(([code]) => code).filter((code) => !/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(code)),
    [],
  );
});

t.test('every error has a sentence and a cure of one line, without a full stop at the end', async (t) => {
  const odd = /^\s*$|^\s|\s$|\n| {2}|[^.]\.$/;
  t.same(
    rows.filter(([, row]) => odd.test(row.sentence) || odd.test(row.cure)).map(([code]) => code),
    [],
  );
});

t.test('placeholders are words in two braces and nothing is left half open', async (t) => {
  const rest = (text: string): string => text.replaceAll(/\{\{[a-z][a-z0-9_]*\}\}/g, '');
  t.same(
    rows.filter(([, row]) => /\{\{|\}\}/.test(rest(row.sentence) + rest(row.cure))).map(([code]) => code),
    [],
  );
});

t.test('warnings change no exit code and errors do', async (t) => {
  t.same(
    rows.filter(([, row]) => (row.severity === 'warning') !== (row.exit === 0)).map(([code]) => code),
    [],
  );
  t.same(
    rows.filter(([, row]) => row.severity === 'error' && (row.status < 400 || row.status > 599)).map(([code]) => code),
    [],
  );
});

t.test('the page of errors is the table', async (t) => {
  t.equal(readFileSync('src/errors/ERRORS.md', 'utf8'), errorPage());
});

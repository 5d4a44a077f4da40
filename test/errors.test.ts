/** The error table: every code is raised by the product, covered by a test, and has a fix. */
import { globSync, readFileSync } from 'node:fs';
import t from 'tap';
import { renderErrorReference } from '../src/errors/reference-page.ts';
import type { ErrorRow } from '../src/errors/row.ts';
import { errorTable } from '../src/errors/table.ts';
import { listAssertedCodes, listAssertedCodesOfTests } from './asserted-codes.ts';

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

t.test('every code is asserted by a test', async (t) => {
  const assertedCodes = listAssertedCodesOfTests();
  t.same(
    rows.map(([code]) => code).filter((code) => !assertedCodes.has(code)),
    [],
  );
});

t.test('a code counts as asserted in an assertion and in its cases, but not elsewhere', async (t) => {
  const source = `
    control.refuse({ code: 'A_REFUSAL' }); // A_COMMENT
    t.match(await call('x)'), { code: 'IN_MATCH' });
    const expected = { code: 'IN_CONSTANT' };
    const unused = { code: 'IN_OTHER_CONSTANT' };
    const cases: readonly [string, string][] = [['x', 'IN_CASES']];
    for (const [input, code] of cases) await t.rejects(call(input), { code });
    for (const [other] of [['IN_INPUT']]) call(other);
    for (const code of ['IN_LOOP']) t.equal(await call(), code);
    t.same(await call(), expected);`;
  const codes = listAssertedCodes(source, () => '').filter((code) => code.includes('_'));
  t.same(new Set(codes), new Set(['IN_MATCH', 'IN_CONSTANT', 'IN_CASES', 'IN_LOOP']));
});

t.test('no two areas define the same code', async (t) => {
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

t.test('codes are upper-case words', async (t) => {
  t.same(
    rows.map(([code]) => code).filter((code) => !/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(code)),
    [],
  );
});

t.test('every error has a one-line message and a one-line fix, without a full stop at the end', async (t) => {
  const malformed = /^\s*$|^\s|\s$|\n| {2}|[^.]\.$/;
  t.same(
    rows.filter(([, row]) => malformed.test(row.sentence) || malformed.test(row.cure)).map(([code]) => code),
    [],
  );
});

t.test('placeholders are words in double braces, and every brace is closed', async (t) => {
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

t.test('the reference page matches the table', async (t) => {
  t.equal(readFileSync('docs/reference/errors.md', 'utf8'), renderErrorReference());
});

/** The findings from outside: each row names a test that exists, in `findings.md` by file and title. */
import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { formerDefects } from '../simulation/mutations.ts';

const page = readFileSync('docs/contributing/findings.md', 'utf8');

type Row = { readonly finding: string; readonly file: string; readonly title: string };

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (Finding|---)/.test(line))
  .map((line): Row => {
    const [, finding = '', file = '', title = ''] = line.split('|').map((cell) => cell.trim());
    return { finding, file: file.replaceAll('`', ''), title };
  });

/** Whether the file declares a test with this title. */
function declares(file: string, title: string): boolean {
  const path = `test/${file}`;
  if (!existsSync(path)) return false;
  const text = readFileSync(path, 'utf8');
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote},`));
}

t.test('every finding names a test that exists', async (t) => {
  t.ok(rows.length > 100, `${rows.length} rows`);
  t.same(
    rows.filter(({ file, title }) => !declares(file, title)).map(({ file, title }) => `${file}: ${title}`),
    [],
  );
});

t.test('the first row of a finding says what was found', async (t) => {
  const [first] = rows;
  t.not(first?.finding, '');
  const findings = rows.map(({ finding }) => finding).filter((finding) => finding !== '');
  t.equal(new Set(findings).size, findings.length, 'each stands once');
  const missing = ['no', 'test', 'has', 'this', 'title'].join(' ');
  t.notOk(declares('documentation/findings.test.ts', missing), 'a missing test is noticed');
});

const reliabilityPage = readFileSync('docs/contributing/reliability-findings.md', 'utf8');
const reliabilityRows = reliabilityPage
  .split('\n')
  .filter((line) => /^\| (?!---|Situation|Finding)/.test(line) && line !== '| | Finding | Test |');
const reliabilityFindings = 17;

t.test('each finding on reliability names tests that exist', async (t) => {
  t.ok(reliabilityRows.length > 25, `${reliabilityRows.length} rows`);
  for (const row of reliabilityRows) {
    const files = row
      .split('|')
      .at(-2)
      ?.split(', ')
      .map((cell) => /^ ?`(test\/[\w./-]+\.test\.ts)` ?$/.exec(cell)?.[1]);
    t.ok(
      files?.every((file) => file !== undefined && existsSync(file)),
      row,
    );
  }
  const numbers = reliabilityRows.flatMap((row) => /^\| V(\d+)/.exec(row)?.[1] ?? []);
  t.same(
    numbers,
    Array.from({ length: reliabilityFindings }, (_, index) => String(index + 1)),
  );
});

t.test('as many findings have an asterisk as are taken out of a copy of the sources', async (t) => {
  t.equal(
    reliabilityRows.filter((row) => row.includes(' * |') || / \*$/.test(row.split(' | ')[0] ?? '')).length,
    formerDefects.length,
  );
});

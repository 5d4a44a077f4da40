/** The findings from outside, and what is promised: each row names a test that exists, by file and title. */
import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { formerDefects } from '../simulation/mutations.ts';
import { declaresTest } from './declared-tests.ts';

/** `subject`: the finding or the claim; empty where the row continues the one above. */
type Row = { readonly subject: string; readonly file: string; readonly title: string };

function readRows(page: string): Row[] {
  return readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (Finding|Claim|---)/.test(line))
    .map((line): Row => {
      const [, subject = '', file = '', title = ''] = line.split('|').map((cell) => cell.trim());
      return { subject, file: file.replaceAll('`', ''), title };
    });
}

/** `file` is below test/. */
const declares = (file: string, title: string): boolean => declaresTest(`test/${file}`, title);

t.test('a missing test is noticed', async (t) => {
  const missing = ['no', 'test', 'has', 'this', 'title'].join(' ');
  t.notOk(declares('documentation/findings.test.ts', missing));
});

for (const [name, count] of [
  ['findings', 100],
  ['hub-claims', 130],
  ['insight-claims', 100],
  ['scenario-claims', 100],
] as const) {
  const rows = readRows(`docs/contributing/${name}.md`);

  t.test(`${name}: every row names a test that exists`, async (t) => {
    t.ok(rows.length > count, `${rows.length} rows`);
    t.same(
      rows.filter(({ file, title }) => !declares(file, title)).map(({ file, title }) => `${file}: ${title}`),
      [],
    );
  });

  t.test(`${name}: the first row of a subject says what it is`, async (t) => {
    t.not(rows[0]?.subject, '');
    const subjects = rows.map(({ subject }) => subject).filter((subject) => subject !== '');
    t.equal(new Set(subjects).size, subjects.length, 'each stands once');
  });
}

const reliabilityPage = readFileSync('docs/contributing/reliability-findings.md', 'utf8');
const [reliabilityFindingsText = '', takenOutText = ''] = reliabilityPage.split('\n## Taken out one by one\n');
const reliabilityRows = reliabilityFindingsText
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

t.test('each correction that was taken out names the test that failed', async (t) => {
  const takenOut = takenOutText.split('\n').filter((line) => /^\| (?!---|\| Taken)/.test(line));
  const numbers = takenOut.flatMap((row) => /^\| V(\d+)/.exec(row)?.[1] ?? []);
  const others = reliabilityRows.flatMap((row) => /^\| V(\d+) \|/.exec(row)?.[1] ?? []);
  t.same(numbers, others, 'all that the simulation does not take out');
  for (const row of takenOut) {
    const [file = '', title = ''] = row
      .split('|')
      .slice(3)
      .map((cell) => cell.trim().replaceAll('`', ''));
    t.ok(declares(file, title), row);
  }
});

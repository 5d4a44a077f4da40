/** The findings from outside: each row names a test that exists, by file and title. */
import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';

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

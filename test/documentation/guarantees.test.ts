/**
 * The fault model: every row has a promise of the three, shown by tests whose files and titles exist, and every number in it is a
 * constant of the code or the bound of a test.
 */
import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { hostileStreams } from '../targets/hostile/streams.ts';
import { hostileTargets } from '../targets/hostile/targets.ts';
import { declaresTest } from './declared-tests.ts';

const page = readFileSync('docs/explanation/guarantees.md', 'utf8');
const evidencePage = readFileSync('docs/contributing/guarantee-tests.md', 'utf8');
const promises = ['survived', 'noticed', 'not covered'];

type Section = { readonly heading: string; readonly rows: readonly (readonly string[])[] };

/** The tables below headings of `level`, without their heads. */
function readTables(text: string, level: string): Section[] {
  return text
    .split(new RegExp(`^${level} `, 'm'))
    .slice(1)
    .map((section) => {
      const lines = section.split('\n').filter((line) => line.startsWith('|'));
      const rows = lines.slice(2).map((line) => line.replace(/^\| ?|\|$/g, '').split('|'));
      return { heading: section.split('\n')[0] ?? '', rows: rows.map((row) => row.map((cell) => cell.trim())) };
    });
}

const [, model = ''] = /^## Fault model\n([\s\S]*?)^## /m.exec(page) ?? [];
const sections = readTables(model, '###');
const faults = sections.flatMap(({ rows }) => rows);

/** What shows a fault: the title of a test, or a number with a constant, `5 s: \`const limitMs = 5_000;\``. */
type Evidence = { readonly fault: string; readonly file: string; readonly text: string };

function readEvidence(): Evidence[] {
  let fault = '';
  return readTables(evidencePage, '##').flatMap(({ rows }) =>
    rows.map(([subject = '', file = '', ...text]) => {
      fault = subject === '' ? fault : subject;
      return { fault, file: file.replaceAll('`', ''), text: text.join('|') };
    }),
  );
}

const evidence = readEvidence();
const constantForm = /^(?<label>[^`]+): `(?<code>.+)`$/;
const listEvidence = (fault: string): Evidence[] => evidence.filter((entry) => entry.fault === fault);

t.test('the fault model names the usual classes of faults', async (t) => {
  t.same(
    sections.map(({ heading }) => heading),
    [
      'Processes',
      'Machine and power',
      'Disk',
      'Data that went back',
      'Network',
      'Clock',
      'Two of a thing',
      'Replicas',
      'Hostile peers',
    ],
  );
  t.ok(sections.every(({ rows }) => rows.length > 1));
});

t.test('each fault has one promise, and tests that exist', async (t) => {
  for (const [fault = '', promise = '', consequence = '', tests = '', ...more] of faults) {
    t.same(more, [], `${fault}: four columns`);
    t.ok(promises.includes(promise), `${fault}: promise ${promise}`);
    t.match(consequence, /\.$/, `${fault}: what happens`);
    if (promise === 'not covered' && tests === '–') continue;
    const files = tests.split(', ').map((cell) => /^`(test\/[\w./-]+\.(?:test\.ts|test\.tsx))`$/.exec(cell)?.[1]);
    t.ok(
      files.every((file) => file !== undefined && existsSync(file)),
      `${fault}: ${tests} are test files`,
    );
    const named = listEvidence(fault).filter(({ file }) => /\.test\.tsx?$/.test(file));
    t.same([...new Set(named.map(({ file }) => file))].sort(), files.toSorted(), `${fault}: tests by title`);
  }
});

t.test('a fault is named once, and nothing is shown of a fault that is not there', async (t) => {
  const names = faults.map(([fault]) => fault);
  t.equal(new Set(names).size, names.length);
  t.same(
    evidence.filter(({ fault }) => !names.includes(fault)),
    [],
  );
});

t.test('each test that is named exists under its title, and each constant stands in its file', async (t) => {
  t.ok(evidence.length > faults.length);
  for (const { file, text } of evidence) {
    const { code } = constantForm.exec(text)?.groups ?? {};
    if (code === undefined) t.ok(declaresTest(file, text), `${file}: ${text}`);
    else t.ok(readFileSync(file, 'utf8').includes(code), `${file}: ${code}`);
  }
});

/** How many ways there are to be hostile, as the tables of the tests have them. */
const counts = [
  hostileTargets.length,
  hostileTargets.filter(({ begins }) => begins === 'request').length,
  hostileTargets.filter(({ begins, isSilent }) => begins === 'request' && !isSilent).length,
  ...Object.values(hostileStreams).map((targets) => targets.length),
].map(String);

/** Without code, statuses, and what a test printed once. */
function listNumbers(text: string): string[] {
  const plain = text
    .replaceAll(/`[^`]*`/g, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/\(seen: [^)]*\)/g, '')
    .replaceAll(/answers \d{3}/g, '');
  return plain.match(/\b\d[\d.,]*(?=\b|th\b)/g)?.map((number) => number.replace(/[.,]$/, '')) ?? [];
}

t.test('every number is a constant, the bound of a test, or counted here', async (t) => {
  t.same(listNumbers('waits 5 s, 2.5 s and (seen: 3) 1,000 ms; `9` of 1xx'), ['5', '2.5', '1,000']);
  for (const [fault = '', , consequence = ''] of faults) {
    const labels = listEvidence(fault).flatMap(({ text }) => constantForm.exec(text)?.groups?.label ?? []);
    const covered = new Set([
      ...labels.flatMap(listNumbers),
      ...(/ ways\b/.test(`${fault} ${consequence}`) ? counts : []),
    ]);
    for (const number of listNumbers(`${fault} ${consequence}`)) t.ok(covered.has(number), `${fault}: ${number}`);
  }
});

t.test('as many hostile ways are named as there are', async (t) => {
  const named = [
    ...model.matchAll(/(\d+(?:, \d+)*(?: and \d+)?) ways|In the (\d+)|of the (\d+)|in (\d+) of these ways/g),
  ];
  const numbers = named.flatMap((match) => match.slice(1).join(' ').match(/\d+/g) ?? []);
  t.same(numbers.sort(), counts.toSorted());
});

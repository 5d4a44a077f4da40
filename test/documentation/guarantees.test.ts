/** The fault model: every row has a promise of the three, and what is promised is shown by a test file that exists. */
import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';

const page = readFileSync('docs/explanation/guarantees.md', 'utf8');
const promises = ['survived', 'noticed', 'not covered'];

type Section = { readonly heading: string; readonly rows: readonly (readonly string[])[] };

/** The tables of the fault model, without their heads. */
function readFaultModel(text: string): Section[] {
  const [, model = ''] = /^## Fault model\n([\s\S]*?)^## /m.exec(text) ?? [];
  return model
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const lines = section.split('\n').filter((line) => line.startsWith('|'));
      const rows = lines.slice(2).map((line) => line.split('|').slice(1, -1));
      return { heading: section.split('\n')[0] ?? '', rows: rows.map((row) => row.map((cell) => cell.trim())) };
    });
}

const sections = readFaultModel(page);

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

t.test('each fault has one promise, and a test that exists', async (t) => {
  for (const [fault = '', promise = '', consequence = '', tests = '', ...more] of sections.flatMap(
    ({ rows }) => rows,
  )) {
    t.same(more, [], `${fault}: four columns`);
    t.ok(promises.includes(promise), `${fault}: promise ${promise}`);
    t.match(consequence, /\.$/, `${fault}: what happens`);
    if (promise === 'not covered' && tests === '–') continue;
    const files = tests.split(', ').map((cell) => /^`(test\/[\w./-]+\.(?:test\.ts|test\.tsx))`$/.exec(cell)?.[1]);
    t.ok(
      files.every((file) => file !== undefined && existsSync(file)),
      `${fault}: ${tests} are test files`,
    );
  }
});

t.test('a fault is named once', async (t) => {
  const faults = sections.flatMap(({ rows }) => rows.map(([fault]) => fault));
  t.equal(new Set(faults).size, faults.length);
});

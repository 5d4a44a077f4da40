import t from 'tap';
import { embedFiles } from '../../src/scenario/embedded-files.ts';
import { collectProse } from '../../src/scenario/prose.ts';
import { buildScenarioText, codes, listDiagnostics, parseValid, read, stripPositions } from './samples.ts';

/** The example of the specification, for each of its four lists. */
function example(name: string): string {
  return `# Scenario: GET ${name}

## Metadata

- **ID**: RT-GET-${name}
- **Layer**: HTTP Ingestion
- **Tags**: http

## TRIGGER

GET \${INGESTION_URL}/api/v2/${name}
X-Request-Id: \${correlation_id}

## VERIFY

Not applicable: for the HTTP Ingestion layer the response is judged directly.

## EXPECT

### Runnable

- status=200
- body has data
- body has count matching ^[0-9]+$
- body has currentPage matching ^[1-9][0-9]*$
- body has perPage matching ^[1-9][0-9]*$
- body has totalPages matching ^[0-9]+$

## TIMEOUT

30s

## CLEANUP

Not applicable for a GET.
`;
}

t.test('the scenarios of the specification are parsed without diagnostics', async (t) => {
  for (const name of ['document', 'envelope', 'folder', 'template']) {
    const { scenario, diagnostics } = read(example(name));
    t.same(diagnostics, []);
    t.match(stripPositions(scenario), {
      title: `GET ${name}`,
      id: `RT-GET-${name}`,
      layer: 'HTTP Ingestion',
      tags: ['http'],
      trigger: {
        method: 'GET',
        path: { parts: [{ text: `/api/v2/${name}` }] },
        headers: [{ name: 'X-Request-Id', value: { parts: [{ placeholder: 'correlation_id' }] } }],
      },
      timeoutMs: 30_000,
      verify: 'Not applicable: for the HTTP Ingestion layer the response is judged directly.',
      cleanup: 'Not applicable for a GET.',
    });
    t.same(
      scenario?.checks.map(({ check }) => check.kind),
      ['status', 'exists', 'matches', 'matches', 'matches', 'matches'],
    );
    t.equal(scenario?.source, example(name));
  }
});

t.test('line endings and a byte order mark change nothing but offsets', async (t) => {
  const plain = example('document');
  const windows = `\uFEFF${plain.replaceAll('\n', '\r\n')}`;
  const [a, other] = [parseValid(plain), parseValid(windows)];
  t.same(stripPositions(a), stripPositions(other));
  for (const [index, { range, text }] of other.checks.entries()) {
    t.equal(windows.slice(range.start.offset, range.end.offset), text);
    t.equal(range.start.line, a.checks[index]?.range.start.line);
    t.equal(range.start.column, a.checks[index]?.range.start.column);
  }
});

t.test('only title, ID, Layer, TRIGGER and a check are required', async (t) => {
  const text = `# Scenario: GET x
## Metadata
- ID: a
- Layer: HTTP Ingestion
## TRIGGER
GET \${INGESTION_URL}/
X-Request-Id: \${correlation_id}
## EXPECT
### Runnable
- status=200`;
  t.same(codes(text), []);
  t.match(parseValid(text), { tags: [], verify: '', cleanup: '', timeoutMs: 30_000 });
});

t.test('each missing required part is reported once', async (t) => {
  t.same(codes('text'), [
    'SCENARIO_TITLE_MISSING',
    'SCENARIO_SECTION_MISSING',
    'SCENARIO_SECTION_MISSING',
    'SCENARIO_SECTION_MISSING',
  ]);
});

t.test('prose is unchanged, including headings and fences', async (t) => {
  const prose = 'one  \n\n### Not a section\n\n```\n## TRIGGER\n```\n\n- **two**';
  t.equal(parseValid(buildScenarioText({ more: `## VERIFY\n\n${prose}\n\n` })).verify, prose);
  t.equal(collectProse([]), '');
});

t.test('sections may come in any order', async (t) => {
  const parts = buildScenarioText().split(/(?=^## )/m);
  const [title = '', ...sections] = parts;
  t.same(codes([title, ...sections.reverse()].join('\n')), []);
});

t.test('a scenario is refused exactly when a diagnostic is an error', async (t) => {
  const warned = read(buildScenarioText({ title: 'POST x' }));
  t.same(
    warned.diagnostics.map(({ severity }) => severity),
    ['warning'],
  );
  t.ok(warned.scenario);
  t.equal(read(buildScenarioText({ checks: '- x' })).scenario, undefined);
});

t.test('diagnostics are in the order of their positions', async (t) => {
  const text = buildScenarioText({ title: 'nonsense', metadata: '- x', trigger: 'x', checks: '- x', timeout: 'x' });
  const offsets = read(text).diagnostics.map(({ range }) => range.start.offset);
  t.ok(offsets.length > 5);
  t.same(
    offsets,
    offsets.toSorted((a, other) => a - other),
  );
});

t.test('a text may have 262,144 characters', async (t) => {
  const text = buildScenarioText();
  const fill = (length: number): string => text + '\n'.repeat(length - text.length);
  t.same(codes(fill(262_144)), []);
  t.same(codes(fill(262_145)), ['SCENARIO_TOO_LARGE']);
  t.same(codes('x'.repeat(5_000_000)), ['SCENARIO_TOO_LARGE']);
});

t.test('a text may have 1,048,576 characters with its files, and the largest file is named above that', async (t) => {
  const embed = (schemaLength: number): string => {
    const schema = JSON.stringify({ type: 'object', description: 'x'.repeat(schemaLength) });
    const files = new Map([
      ['a.json', schema],
      ['b.json', '{}'],
    ]);
    const checks = '- status=200\n- body matches schema a.json\n- body equals file b.json';
    return embedFiles(buildScenarioText({ checks }), (name) => files.get(name));
  };
  const exact = embed(1_048_576 - embed(0).length);
  t.equal(exact.length, 1_048_576);
  t.same(codes(exact), []);
  const { diagnostics } = read(embed(1_048_577 - embed(0).length));
  t.match(diagnostics, [
    {
      code: 'SCENARIO_FILES_TOO_LARGE',
      message: /the text has 1048577 characters, 10\d+ of them in `a\.json`/,
      cure: /at most 1048576/,
    },
  ]);
  t.same(
    codes(`${buildScenarioText()}\n${'\n'.repeat(262_144)}\n## FILES\n\n### a.json\n\n~~~\n{}\n~~~\n`),
    ['SCENARIO_TOO_LARGE'],
    'the limit of the own text stays',
  );
});

t.test('input that is not text is reported with one diagnostic', async (t) => {
  t.same(codes('\0'.repeat(1000)), ['SCENARIO_BINARY']);
  t.same(codes(`${buildScenarioText()}\0`), ['SCENARIO_BINARY']);
  for (const text of ['', ' \n\t\r\n', '\uFEFF', '\uFEFF\n'])
    t.same(codes(text), ['SCENARIO_EMPTY'], JSON.stringify(text));
});

t.test('control characters and lone carriage returns are reported everywhere', async (t) => {
  t.same(listDiagnostics(buildScenarioText({ more: '## VERIFY\n\na\u001b[31mb\rc' })), [
    ['SCENARIO_CONTROL_CHARACTER', '\u001b'],
    ['SCENARIO_LONE_CR', '\r'],
  ]);
});

t.test('a hundred errors are reported and the others are counted', async (t) => {
  const { diagnostics } = read(buildScenarioText({ checks: '- x\n'.repeat(500) }));
  t.equal(diagnostics.length, 101);
  t.match(diagnostics.at(-1), { code: 'SCENARIO_MORE_PROBLEMS', message: 'there are 400 more problems' });
});

t.test('warnings never displace an error', async (t) => {
  const checks = `${'- body has a\n'.repeat(300)}- nonsense`;
  const { diagnostics, scenario } = read(buildScenarioText({ checks }));
  t.equal(scenario, undefined);
  t.same(
    diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    ['SCENARIO_CHECK_UNKNOWN'],
  );
});

t.test('parsing is fast for every text', async (t) => {
  const usual = buildScenarioText();
  const anchors = ['# Scenario: ', '- **ID**', '- **', 'GET ', '/api', 'X-Req', '- status', 'status=200'];
  const repeated = [
    ' ',
    '\t',
    '#',
    '- ',
    '> ',
    '1. ',
    '[',
    '`',
    '*',
    'a.',
    ':',
    '${',
    '<!--\n',
    '~~~\n',
    '\r',
    '=',
    'a\n',
    ' #',
  ];
  for (const unit of repeated) {
    for (const anchor of anchors) {
      const index = usual.indexOf(anchor) + anchor.length;
      const many = unit.repeat(Math.floor((100_000 - usual.length) / unit.length));
      read(`${usual.slice(0, index)}${many}x${usual.slice(index)}`, { variables: 'any' });
    }
  }
  t.pass('all read within the time of a test');
});

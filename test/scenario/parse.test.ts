import t from 'tap';
import { proseOf } from '../../src/scenario/parse.ts';
import { codes, read, scenarioOf, textOf, told, withoutPlaces } from './samples.ts';

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

t.test('the scenarios of the specification are read without a word', async (t) => {
  for (const name of ['document', 'envelope', 'folder', 'template']) {
    const { scenario, diagnostics } = read(example(name));
    t.same(diagnostics, []);
    t.match(withoutPlaces(scenario), {
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
  const [one, other] = [scenarioOf(plain), scenarioOf(windows)];
  t.same(withoutPlaces(one), withoutPlaces(other));
  for (const [index, { range, text }] of other.checks.entries()) {
    t.equal(windows.slice(range.start.offset, range.end.offset), text);
    t.equal(range.start.line, one.checks[index]?.range.start.line);
    t.equal(range.start.column, one.checks[index]?.range.start.column);
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
  t.match(scenarioOf(text), { tags: [], verify: '', cleanup: '', timeoutMs: 30_000 });
});

t.test('what is required is told, each part once', async (t) => {
  t.same(codes('text'), [
    'SCENARIO_TITLE_MISSING',
    'SCENARIO_SECTION_MISSING',
    'SCENARIO_SECTION_MISSING',
    'SCENARIO_SECTION_MISSING',
  ]);
});

t.test('prose is kept as it is, headings and fences included', async (t) => {
  const prose = 'one  \n\n### Not a section\n\n```\n## TRIGGER\n```\n\n- **two**';
  t.equal(scenarioOf(textOf({ more: `## VERIFY\n\n${prose}\n\n` })).verify, prose);
  t.equal(proseOf([]), '');
});

t.test('sections may come in any order', async (t) => {
  const parts = textOf().split(/(?=^## )/m);
  const [title = '', ...sections] = parts;
  t.same(codes([title, ...sections.reverse()].join('\n')), []);
});

t.test('a scenario is refused exactly when a diagnostic is an error', async (t) => {
  const warned = read(textOf({ title: 'POST x' }));
  t.same(
    warned.diagnostics.map(({ severity }) => severity),
    ['warning'],
  );
  t.ok(warned.scenario);
  t.equal(read(textOf({ checks: '- x' })).scenario, undefined);
});

t.test('diagnostics come in the order of their places', async (t) => {
  const text = textOf({ title: 'nonsense', metadata: '- x', trigger: 'x', checks: '- x', timeout: 'x' });
  const offsets = read(text).diagnostics.map(({ range }) => range.start.offset);
  t.ok(offsets.length > 5);
  t.same(
    offsets,
    offsets.toSorted((one, other) => one - other),
  );
});

t.test('a text may have 262,144 characters', async (t) => {
  const text = textOf();
  const fill = (length: number): string => text + '\n'.repeat(length - text.length);
  t.same(codes(fill(262_144)), []);
  t.same(codes(fill(262_145)), ['SCENARIO_TOO_LARGE']);
  t.same(codes('x'.repeat(5_000_000)), ['SCENARIO_TOO_LARGE']);
});

t.test('what is no text is told in one line', async (t) => {
  t.same(codes('\0'.repeat(1000)), ['SCENARIO_BINARY']);
  t.same(codes(`${textOf()}\0`), ['SCENARIO_BINARY']);
  for (const text of ['', ' \n\t\r\n', '\uFEFF', '\uFEFF\n'])
    t.same(codes(text), ['SCENARIO_EMPTY'], JSON.stringify(text));
});

t.test('control characters and lone carriage returns are told wherever they stand', async (t) => {
  t.same(told(textOf({ more: '## VERIFY\n\na\u001b[31mb\rc' })), [
    ['SCENARIO_CONTROL_CHARACTER', '\u001b'],
    ['SCENARIO_LONE_CR', '\r'],
  ]);
});

t.test('a hundred errors are told and the rest is counted', async (t) => {
  const { diagnostics } = read(textOf({ checks: '- x\n'.repeat(500) }));
  t.equal(diagnostics.length, 101);
  t.match(diagnostics.at(-1), { code: 'SCENARIO_MORE_PROBLEMS', message: 'there are 400 more problems' });
});

t.test('warnings never push an error out', async (t) => {
  const checks = `${'- body has a\n'.repeat(300)}- nonsense`;
  const { diagnostics, scenario } = read(textOf({ checks }));
  t.equal(scenario, undefined);
  t.same(
    diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    ['SCENARIO_CHECK_UNKNOWN'],
  );
});

t.test('no text keeps the parser busy', async (t) => {
  const usual = textOf();
  const places = ['# Scenario: ', '- **ID**', '- **', 'GET ', '/api', 'X-Req', '- status', 'status=200'];
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
    for (const place of places) {
      const at = usual.indexOf(place) + place.length;
      const many = unit.repeat(Math.floor((100_000 - usual.length) / unit.length));
      read(`${usual.slice(0, at)}${many}x${usual.slice(at)}`, { variables: 'any' });
    }
  }
  t.pass('all read within the time of a test');
});

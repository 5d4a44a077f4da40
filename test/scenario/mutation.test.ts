/** Scenarios with random damage: the parser keeps its guarantees for every text. */
import { deepStrictEqual as deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { formatScenario } from '../../src/scenario/format.ts';
import { renderExampleScenario } from '../../src/scenario/guide.ts';
import { buildScenarioText, parseValid, read, stripPositions } from './samples.ts';

const post =
  'POST ${INGESTION_URL}/a\nContent-Type: application/json\nX-Request-Id: ${correlation_id}\n\n```json\n{"a": "${V}"}\n```';
const bases = [
  renderExampleScenario(),
  buildScenarioText({ trigger: post, title: 'POST x' }),
  buildScenarioText({
    metadata: '- ID: a\n- Layer: HTTP Ingestion + Database + Log',
    checks: '- db one rows=1\n- db two has a > 1\n- log errors=0\n- log has a equals b',
    more: '## VERIFY\n\n```sql one\nSELECT ${body.a[0]};\n```\n\n```sql two\nSELECT 1 AS a\n```',
  }),
  buildScenarioText({ trigger: `\`\`\`http\n${post}\n\`\`\`` }),
];

const malformedLine = fc.constantFrom(
  ...[
    '',
    ' ',
    '#',
    '##',
    '## TRIGGER',
    '### Runnable',
    '# Scenario: GET x',
    '```',
    '~~~',
    '<!--',
    '-->',
    '<!-- x -->',
    '---',
  ],
  ...[
    '- ',
    '- status=200',
    '- body has a',
    '- `body has b`',
    'text',
    '  indented',
    'X-A: ${V}',
    'GET ${INGESTION_URL}/',
    '10s',
  ],
  ...[
    '- Tags: a, b',
    '- Layer: HTTP Ingestion + Log',
    '```sql',
    '```sql two',
    '- db rows=1',
    "SELECT '${V}",
    '## VERIFY',
    '\tbody',
    '{"a": 1}',
    '- body has a matching (',
    '> quote',
    '# a # #',
    '``` a`b',
    '***',
    '\u00a0',
    '\u2028',
  ],
);
const malformedText = fc.constantFrom(
  '#',
  '`',
  '*',
  '${',
  '}',
  ' ',
  '\r',
  '\t',
  '\0',
  '\n',
  '\r\n',
  ':',
  '-',
  '😀',
  '\ud800',
  '\uFEFF',
  '0',
);

const damage = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('insert' as const), index: fc.nat(60), line: malformedLine }),
    fc.record({ kind: fc.constant('drop' as const), index: fc.nat(60) }),
    fc.record({ kind: fc.constant('repeat' as const), index: fc.nat(60), target: fc.nat(60) }),
    fc.record({ kind: fc.constant('splice' as const), index: fc.nat(600), text: malformedText, over: fc.nat(2) }),
  ),
  { maxLength: 6 },
);

const damaged = fc.tuple(fc.constantFrom(...bases), damage).map(([base, steps]) => {
  let text = base;
  for (const step of steps) {
    if (step.kind === 'splice') {
      text = text.slice(0, step.index) + step.text + text.slice(step.index + step.over);
      continue;
    }
    const lines = text.split('\n');
    if (step.kind === 'insert') lines.splice(step.index, 0, step.line);
    else if (step.kind === 'drop') lines.splice(step.index, 1);
    else lines.splice(step.target, 0, lines[step.index] ?? '');
    text = lines.join('\n');
  }
  return text;
});

t.test('nothing is thrown, and a text is refused exactly when an error is reported', async () => {
  fc.assert(
    fc.property(damaged, (text) => {
      const { scenario, diagnostics } = read(text);
      equal(
        scenario === undefined,
        diagnostics.some(({ severity }) => severity === 'error'),
      );
    }),
    { numRuns: 2000 },
  );
});

t.test('every diagnostic has a message, a fix and a position inside the text', async () => {
  fc.assert(
    fc.property(damaged, (text) => {
      for (const { range, message, cure } of read(text).diagnostics) {
        const { start, end } = range;
        ok(start.offset >= 0 && start.offset <= end.offset && end.offset <= text.length);
        ok(start.line >= 1 && start.column >= 1);
        const before = text.slice(0, start.offset).split('\n');
        equal(start.line, before.length);
        ok(message !== '' && cure !== '');
      }
    }),
    { numRuns: 1000 },
  );
});

t.test('every text that can be parsed can be formatted without a change of meaning', async () => {
  const any = { variables: 'any' } as const;
  fc.assert(
    fc.property(damaged, (text) => {
      const once = formatScenario(text, any, () => {});
      if (once === undefined) return;
      deepEqual(stripPositions(parseValid(once, any)), stripPositions(parseValid(text, any)));
      equal(
        formatScenario(once, any, () => {}),
        once,
      );
    }),
    { numRuns: 4000 },
  );
});

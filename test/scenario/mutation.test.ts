/** Scenarios with random damage: whatever was done to a text, the parser keeps its promises. */
import { deepStrictEqual as deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { formatScenario } from '../../src/scenario/format.ts';
import { exampleScenario } from '../../src/scenario/guide.ts';
import { read, scenarioOf, textOf, withoutPlaces } from './samples.ts';

const post =
  'POST ${INGESTION_URL}/a\nContent-Type: application/json\nX-Request-Id: ${correlation_id}\n\n```json\n{"a": "${V}"}\n```';
const bases = [
  exampleScenario(),
  textOf({ trigger: post, title: 'POST x' }),
  textOf({
    metadata: '- ID: a\n- Layer: HTTP Ingestion + Database + Log',
    checks: '- db one rows=1\n- db two has a > 1\n- log errors=0\n- log has a equals b',
    more: '## VERIFY\n\n```sql one\nSELECT ${body.a[0]};\n```\n\n```sql two\nSELECT 1 AS a\n```',
  }),
  textOf({ trigger: `\`\`\`http\n${post}\n\`\`\`` }),
];

const oddLine = fc.constantFrom(
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
const oddText = fc.constantFrom(
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
    fc.record({ kind: fc.constant('insert' as const), at: fc.nat(60), line: oddLine }),
    fc.record({ kind: fc.constant('drop' as const), at: fc.nat(60) }),
    fc.record({ kind: fc.constant('repeat' as const), at: fc.nat(60), to: fc.nat(60) }),
    fc.record({ kind: fc.constant('splice' as const), at: fc.nat(600), text: oddText, over: fc.nat(2) }),
  ),
  { maxLength: 6 },
);

const damaged = fc.tuple(fc.constantFrom(...bases), damage).map(([base, steps]) => {
  let text = base;
  for (const step of steps) {
    if (step.kind === 'splice') {
      text = text.slice(0, step.at) + step.text + text.slice(step.at + step.over);
      continue;
    }
    const lines = text.split('\n');
    if (step.kind === 'insert') lines.splice(step.at, 0, step.line);
    else if (step.kind === 'drop') lines.splice(step.at, 1);
    else lines.splice(step.to, 0, lines[step.at] ?? '');
    text = lines.join('\n');
  }
  return text;
});

t.test('nothing is thrown, and a text is refused exactly where an error is told', async () => {
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

t.test('every diagnostic has words, a cure, and a place inside the text', async () => {
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

t.test('what can be read at all can be written without a change of meaning', async () => {
  const any = { variables: 'any' } as const;
  fc.assert(
    fc.property(damaged, (text) => {
      const once = formatScenario(text, any, () => {});
      if (once === undefined) return;
      deepEqual(withoutPlaces(scenarioOf(once, any)), withoutPlaces(scenarioOf(text, any)));
      equal(
        formatScenario(once, any, () => {}),
        once,
      );
    }),
    { numRuns: 4000 },
  );
});

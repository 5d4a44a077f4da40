import { deepStrictEqual as deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { formatScenario } from '../../src/scenario/format.ts';
import { buildScenarioText, parseValid, read, stripPositions } from './samples.ts';

const any = { variables: 'any' } as const;

function formatted(text: string): string {
  const written = formatScenario(text, any, () => {});
  if (written === undefined) throw new Error(`not formatted: ${JSON.stringify(read(text, any).diagnostics)}`);
  return written;
}

t.test('a formatted text is unchanged', async (t) => {
  const text = buildScenarioText({ more: '## CLEANUP\n\nNot applicable for a GET.' }).trimEnd();
  t.equal(formatted(`${text}\n`), `${text}\n`);
});

t.test('everything without a meaning is normalized', async (t) => {
  const text = [
    '\uFEFF<!-- lead -->',
    '#   Scenario:  GET document  ##',
    'a description',
    '## metadata',
    '* `ID`: `RT-x`',
    '* **tags:** a,b  a',
    '- Layer:   http ingestion',
    '---',
    '## TRIGGER',
    '<!-- one -->',
    '- GET ${INGESTION_URL}/a?b=1',
    '<!-- two -->',
    '- X-Request-Id:   ${correlation_id}',
    '- Authorization:',
    '<!-- three -->',
    '## expect',
    '### RUNNABLE',
    '1. status=200',
    '- [ ] `body has data`  ',
    '',
    '<!-- four -->',
    '* body has a matching .*b.*\\.',
    '## TIMEOUT',
    '`5s`',
    '',
    '',
  ].join('\r\n');
  t.equal(
    formatted(text),
    [
      '<!-- lead -->\n',
      '# Scenario: GET document\n',
      'a description\n',
      '## Metadata\n',
      '- ID: RT-x\n- Tags: a, b\n- Layer: HTTP Ingestion\n\n---\n',
      '## TRIGGER\n',
      '<!-- one -->\n',
      'GET ${INGESTION_URL}/a?b=1\n<!-- two -->\nX-Request-Id: ${correlation_id}\nAuthorization:\n',
      '<!-- three -->\n',
      '## EXPECT\n',
      '### Runnable\n',
      '- status=200\n- body has data\n<!-- four -->\n- body has a matching .*b.*\\.\n',
      '## TIMEOUT\n',
      '5s\n',
    ].join('\n'),
  );
});

t.test('a text with errors is not formatted, and its errors are reported', async (t) => {
  const messages: string[] = [];
  t.equal(
    formatScenario(buildScenarioText({ checks: '- nonsense' }), any, ({ code }) => messages.push(code)),
    undefined,
  );
  t.same(messages, ['SCENARIO_CHECK_UNKNOWN']);
});

t.test('a fence gets marks that its content does not close', async (t) => {
  const head = 'POST ${INGESTION_URL}/a\nContent-Type: a/b\nX-Request-Id: ${correlation_id}';
  const text = buildScenarioText({ trigger: `${head}\n\n  ~~~ x\n  a\n     ~~~\n  ~~~` });
  t.match(formatted(text), '~~~~x\na\n   ~~~\n~~~~\n');
});

const spaces = fc.constantFrom('', ' ', '  ');
const word = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9._-]{0,8}$/);
const blank = fc.constantFrom('\n', '\n\n', '\n\n\n', '\n<!-- note -->\n', '\n\n<!-- a\n\n# b -->\n\n', '\n \n');
const bullet = fc.constantFrom('- ', '* ', '+ ', '1. ', '  - ', '- [ ] ', '-   ');
const prose = fc.constantFrom(
  'text',
  '  indented\n\n\n**bold**',
  '```\n## TRIGGER\n```',
  '### sub',
  '- bullet\n---\nmore',
  '<!-- x -->',
  '',
);
const bodyLine = fc.constantFrom(
  '{"a": 1}',
  '',
  '  x  ',
  '\ttab',
  '```',
  '~~~',
  '    ~~~',
  '- b',
  '<a>',
  '${V}',
  '---',
  'é😀',
);
const pathText = fc.constantFrom('/', '/a', '/a/${V}?b=1', '/a%20b/c;d=e');
const check = fc.constantFrom(
  'status=200',
  'body has data',
  'body has a.b[0] matching ^[0-9]*\\.$',
  'body has x containing  two  words',
  'body has x equals `y`',
  'body has ["a b"] equals **',
);

const evidenceCheck = fc.constantFrom(
  'db rows>=1',
  'db rows != 2',
  'db has "a b" equals x',
  'db has total > 5',
  'log errors=0',
  'log has a.b matching ^x$',
  'body has n <= 1e3',
);
const statement = fc.constantFrom(
  'SELECT 1;',
  "SELECT ';' -- $ {\nFROM a",
  'WITH a AS (SELECT ${body.x[0].y})\n\nTABLE a ; ',
  '  VALUES (${correlation_id})',
);
const queryFence = fc
  .tuple(fc.constantFrom('sql', 'sql documents', ' SQL  documents'), statement, fc.constantFrom('', '  '))
  .map(([info, sql, indent]) => fenced(info, sql, indent));

const header = fc
  .tuple(bullet, word, fc.constantFrom(':', ': ', ':   '), fc.constantFrom('x', '${V}', 'a  b', '', 'é'), spaces)
  .filter(([, name]) => !/^(te|host|expect|upgrade|trailer)$/i.test(name))
  .map(([mark, name, colon, value, end]) => `${mark}X${name.replaceAll('.', '')}${colon}${value}${end}`);

function fenced(info: string, content: string, indent: string): string {
  return [`~~~~~~${info}`, ...content.split('\n'), '~~~~~~'].map((line) => indent + line).join('\n');
}

const body = fc.array(bodyLine, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));

const trigger = fc
  .record({
    path: pathText,
    headers: fc.array(header, { maxLength: 3 }),
    body: fc.option(body),
    shape: fc.constantFrom('fence', 'whole', 'plain'),
    indent: fc.constantFrom('', ' ', '   '),
    note: fc.constantFrom('', '<!-- n -->\n', '<!-- n -->\n\n'),
    end: fc.constantFrom('', '\n\n<!-- end -->', '\n---'),
  })
  .map(({ path, headers, body, shape, indent, note, end }) => {
    const bare = headers.map((line) => line.replace(/^\s*(?:[-*+]|\d\.)(?:\s\[ \])?\s+/, ''));
    if (shape === 'whole') {
      const inner = [`POST   \${INGESTION_URL}${path}`, ...bare].join('\n');
      return note + fenced(' http', body === null ? inner : `${inner}\n\n[\n${body}\n]`, indent) + end;
    }
    const lines = [`- POST \${INGESTION_URL}${path}`, ...headers].join('\n');
    if (body === null) return note + lines + end;
    if (shape === 'fence') return `${note}${lines}\n${fenced('json', body, indent)}${end}`;
    return `${note}${lines}\n\n[\n${body.replaceAll(/^(```|~~~)$/gm, 'x')}\n]${end}`;
  });

const scenarioText = fc
  .record({
    title: fc
      .tuple(spaces, word, fc.constantFrom('', ' x', ' # #', ' #'))
      .map(([gap, name, end]) => `${gap}POST ${name}${end}`),
    id: word,
    key: fc.constantFrom('ID', '**ID**', '`id`', '**ID:**'),
    tags: fc.array(word, { maxLength: 3 }),
    bullet,
    trigger,
    query: fc.option(queryFence),
    layer: fc.constantFrom('HTTP Ingestion + Database + Log', 'http ingestion+log  + DATABASE'),
    evidence: fc.uniqueArray(fc.tuple(bullet, evidenceCheck), { maxLength: 4, selector: ([, text]) => text }),
    checks: fc.uniqueArray(fc.tuple(bullet, check), { minLength: 1, maxLength: 5, selector: ([, text]) => text }),
    timeout: fc.option(fc.integer({ min: 1, max: 600 })),
    prose: fc.tuple(prose, prose, prose),
    blanks: fc.array(blank, { minLength: 8, maxLength: 8 }),
    ending: fc.constantFrom('\n', '\r\n'),
    expectFirst: fc.boolean(),
  })
  .map((parts) => {
    const { key, blanks, prose } = parts;
    const [b1, b2, b3, b4, b5, b6, b7, b8] = blanks;
    const colon = key.endsWith(':**') ? '' : ':';
    const metadata = `## Metadata${b1}${parts.bullet}${key}${colon} ${parts.id}\n${parts.bullet}Layer: ${parts.query === null ? 'HTTP Ingestion' : parts.layer}${b2}${parts.bullet}Tags: ${parts.tags.join(',')}`;
    const evidence = parts.query === null ? [] : parts.evidence;
    const checks = [...parts.checks, ...evidence].map(([mark, text]) => mark + text).join('\n');
    const expect = `## EXPECT ##${b3}### runnable${b4}${checks}`;
    const request = `## trigger\n${parts.trigger}`;
    const timeout = parts.timeout === null ? '' : `\n## TIMEOUT${b6}${parts.timeout}s`;
    const middle = parts.expectFirst ? `${expect}${b5}\n${request}` : `${request}\n${b5}${expect}`;
    const text = `${prose[0].replaceAll('#', '')}\n# Scenario: ${parts.title}${b7}\n${metadata}${b8}\n${middle}\n## VERIFY\n${prose[1]}\n\n${parts.query ?? ''}${timeout}\n## CLEANUP\n\n${prose[2]}`;
    return text.replaceAll('\n', parts.ending);
  });

t.test('parsing a formatted text gives the same scenario, and formatting it again the same text', async () => {
  fc.assert(
    fc.property(scenarioText, (text) => {
      const once = formatted(text);
      deepEqual(stripPositions(parseValid(once, any)), stripPositions(parseValid(text, any)));
      equal(formatted(once), once);
    }),
    { numRuns: 2000 },
  );
});

t.test('the positions of a formatted text select the same words', async () => {
  fc.assert(
    fc.property(scenarioText, (text) => {
      const once = formatted(text);
      for (const { range, text: checkText } of parseValid(once, any).checks) {
        equal(once.slice(range.start.offset, range.end.offset), checkText);
      }
    }),
    { numRuns: 200 },
  );
});

/** `CALL <connection>__<tool>` in a scenario: how it is read, refused, formatted and bound. */
import t from 'tap';
import { bindTrigger } from '../../src/scenario/bind.ts';
import { formatScenario } from '../../src/scenario/format.ts';
import { parseScenario } from '../../src/scenario/parse.ts';

function buildText(trigger: string, title = 'CALL docs__search'): string {
  return `# Scenario: ${title}\n\n## Metadata\n\n- ID: RT-CALL-search\n- Layer: HTTP Ingestion\n\n## TRIGGER\n\n${trigger}\n\n## EXPECT\n\n### Runnable\n\n- status=200\n`;
}

function read(trigger: string, title?: string) {
  const codes: string[] = [];
  const scenario = parseScenario(buildText(trigger, title), { variables: ['NAME'] }, ({ code }) => codes.push(code));
  return { scenario, codes };
}

const call = 'CALL docs__search';

t.test('a call has a name and arguments', async (t) => {
  for (const body of ['\n\n{ "query": "a" }', '\n\n~~~json\n{ "query": "a" }\n~~~']) {
    const { scenario, codes } = read(call + body);
    t.same(codes, []);
    t.match(scenario?.trigger, { method: 'POST', tool: 'docs__search', headers: [] });
  }
  t.match(read('CALL a-b__x.y/z').scenario?.trigger, { tool: 'a-b__x.y/z', body: undefined });
});

t.test('what cannot be called is refused', async (t) => {
  for (const line of ['CALL', 'CALL search', 'CALL Docs__search', 'CALL docs__', `CALL docs__${'x'.repeat(300)}`])
    t.same(read(line).codes, ['SCENARIO_CALL_INVALID'], line);
  t.same(read(`${call}\nX-Request-Id: 1`).codes, ['SCENARIO_CALL_HEADER']);
  for (const body of ['[1]', 'query=a', '{ "query": ${NAME} }', '"x"'])
    t.same(read(`${call}\n\n~~~\n${body}\n~~~`).codes, ['SCENARIO_CALL_ARGUMENTS'], body);
  t.same(read(call, 'POST docs__search').codes, ['SCENARIO_TITLE_METHOD']);
  t.same(read(`${call}\n\n{ "a": "\${OTHER}" }`).codes, ['SCENARIO_PLACEHOLDER_UNKNOWN']);
});

t.test('placeholders are escaped within strings, and numbers stay as they are written', async (t) => {
  const { scenario } = read(
    `${call}\n\n~~~json\n{ "a": "x \${NAME}", "n": 12345678901234567890, "id": "\${correlation_id}" }\n~~~`,
  );
  if (!scenario) return t.fail('it was not read');
  const values = { origin: 'https://vp.example', correlationId: 'tr-1', variables: { NAME: '"quoted"\nline' } };
  const bound = bindTrigger(scenario, values);
  t.match(bound, { method: 'POST', url: 'https://vp.example/agent/mcp', authorization: 'config' });
  t.match(bound.body, '"n": 12345678901234567890');
  t.match(JSON.parse(bound.body ?? ''), {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'docs__search',
      arguments: { a: 'x "quoted"\nline', id: 'tr-1' },
      _meta: { 'vp/correlation-id': 'tr-1' },
    },
  });
  t.throws(() => bindTrigger(scenario, { ...values, variables: {} }), { code: 'SCENARIO_VARIABLE_MISSING' });
});

t.test('a formatted call is the same call', async (t) => {
  const text = buildText('- `CALL   docs__search`\n\n~~~json\n{ "query": "a" }\n~~~');
  const formatted = formatScenario(text, {}, () => {});
  t.match(formatted, /## TRIGGER\n\nCALL docs__search\n\n~~~json\n\{ "query": "a" \}\n~~~\n/);
});

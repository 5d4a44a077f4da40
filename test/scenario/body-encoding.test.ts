import t from 'tap';
import { bindTrigger } from '../../src/scenario/bind.ts';
import { formatScenario } from '../../src/scenario/format.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';

function write(body: string, { header = '', checks = '- status=200' } = {}): string {
  return `# Scenario: POST thing

## Metadata

- ID: RT-POST-thing
- Layer: HTTP Ingestion

## TRIGGER

POST \${INGESTION_URL}/thing
X-Request-Id: \${correlation_id}
${header}
${body}

## EXPECT

### Runnable

${checks}
`;
}

function read(text: string): { readonly scenario: Scenario | undefined; readonly codes: readonly string[] } {
  const codes: string[] = [];
  const scenario = parseScenario(text, { variables: 'any' }, ({ code }) => codes.push(code));
  return { scenario, codes };
}

function bind(text: string, variables: Record<string, string> = {}) {
  const { scenario, codes } = read(text);
  if (!scenario) throw new Error(codes.join());
  const { headers, body } = bindTrigger(scenario, { origin: 'http://t', correlationId: 'tr-1', variables });
  return { type: headers.find(([name]) => name === 'Content-Type')?.[1], body };
}

t.test('a form is encoded, values of placeholders included', async (t) => {
  const text = write('~~~form\nname = Ann & Ben\nnote=a=b\n\nsecret = ${SECRET}\n~~~');
  t.same(bind(text, { SECRET: 'x&y=1\nz = 2' }), {
    type: 'application/x-www-form-urlencoded',
    body: 'name=Ann+%26+Ben&note=a%3Db&secret=x%26y%3D1%0Az+%3D+2',
  });
  t.same(read(text).codes, [], 'no Content-Type is missing');
});

t.test('a query is sent as JSON with its variables', async (t) => {
  const text = write(
    '~~~graphql\nquery ($id: ID!) {\n  order(id: $id) { total }\n}\n\nvariables\n{ "id": "${ID}" }\n~~~',
  );
  const { type, body } = bind(text, { ID: '7' });
  t.equal(type, 'application/json');
  t.same(JSON.parse(body ?? ''), {
    query: 'query ($id: ID!) {\n  order(id: $id) { total }\n}',
    variables: { id: '7' },
  });
  t.same(JSON.parse(bind(write('~~~graphql\n{ me { id } }\n~~~')).body ?? ''), { query: '{ me { id } }' });
});

t.test('errors of a query are checked unless the scenario has a rule for them', async (t) => {
  const listChecks = (text: string) => read(text).scenario?.checks.map((check) => check.text);
  const query = '~~~graphql\n{ me { id } }\n~~~';
  t.same(listChecks(write(query)), ['status=200', 'body has no errors']);
  const own = '- status=200\n- body has errors[0].message containing denied';
  t.same(listChecks(write(query, { checks: own })), ['status=200', 'body has errors[0].message containing denied']);
});

t.test('with a Content-Type of its own a body is sent as it stands', async (t) => {
  const text = write('~~~graphql\n{ me { id } }\n~~~', { header: 'Content-Type: application/graphql\n' });
  t.same(bind(text), { type: 'application/graphql', body: '{ me { id } }' });
  t.equal(read(text).scenario?.checks.length, 1);
});

t.test('the formatter leaves the body as it is', async (t) => {
  const text = write('~~~form\nname = Ann\n~~~');
  const formatted = formatScenario(text, {}, () => {}) ?? '';
  t.match(formatted, '~~~form\nname = Ann\n~~~');
  t.same(bind(formatted), bind(text));
});

t.test('what cannot be encoded is refused where it stands', async (t) => {
  t.same(read(write('~~~form\nname: Ann\n~~~')).codes, ['SCENARIO_BODY_ENCODING']);
  t.same(read(write('~~~graphql\n{ order(id: "${ID}") { id } }\n~~~')).codes, ['SCENARIO_BODY_ENCODING']);
  t.same(read(write('~~~graphql\n{ me { id } }\nvariables\n[1]\n~~~')).codes, ['SCENARIO_BODY_ENCODING']);
});

t.test('a value that the target chose ends neither a field nor a variable', async (t) => {
  const { scenario } = read(write('~~~form\nname = ${TOKEN}\n~~~'));
  const captures = new Map([['TOKEN', { text: 'a&b=c\nadmin = 1', isText: true }]]);
  const values = { origin: 'http://t', correlationId: 'tr-1', variables: {}, captures };
  t.equal(scenario && bindTrigger(scenario, values).body, 'name=a%26b%3Dc%0Aadmin+%3D+1');
  const query = read(write('~~~graphql\n{ me }\nvariables\n{ "id": "${TOKEN}" }\n~~~')).scenario;
  captures.set('TOKEN', { text: '1", "admin": "1', isText: true });
  const body: unknown = JSON.parse((query && bindTrigger(query, values).body) ?? '');
  t.same(body, { query: '{ me }', variables: { id: '1", "admin": "1' } });
});

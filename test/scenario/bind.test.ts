import t from 'tap';
import { toVpError } from '../../src/errors/vp-error.ts';
import { type BoundRequest, bindTrigger, resolveAuthorization } from '../../src/scenario/bind.ts';
import { buildScenarioText, parseValid } from './samples.ts';

const id = 'X-Request-Id: ${correlation_id}';

function bound(lines: string, variables: Record<string, string> = {}): BoundRequest {
  const scenario = parseValid(buildScenarioText({ trigger: lines }), { variables: 'any' });
  return bindTrigger(scenario, { origin: 'http://app:3100', correlationId: 'tr-20261120T181420123-x', variables });
}

function catchCode(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return toVpError(thrown).code;
  }
}

t.test('a request is bound to origin, correlation id and variables', async (t) => {
  const request = bound(
    `POST \${INGESTION_URL}/a/\${TENANT}?r=\${correlation_id}\nContent-Type: text/plain\n${id}\nX-T: <\${TENANT}>\n\nat \${INGESTION_URL} for \${TENANT}`,
    { TENANT: 'acme' },
  );
  t.same(request, {
    method: 'POST',
    url: 'http://app:3100/a/acme?r=tr-20261120T181420123-x',
    path: '/a/acme?r=tr-20261120T181420123-x',
    headers: [
      ['Content-Type', 'text/plain'],
      ['X-Request-Id', 'tr-20261120T181420123-x'],
      ['X-T', '<acme>'],
    ],
    authorization: 'config',
    body: 'at http://app:3100 for acme',
  });
});

t.test('a request without a body has none', async (t) => {
  t.equal(bound(`GET \${INGESTION_URL}/a\n${id}`).body, undefined);
});

t.test('the source of Authorization is determined by the scenario', async (t) => {
  const own = (line: string): unknown => {
    const { authorization, headers } = bound(`GET \${INGESTION_URL}/a\n${line}`);
    return [authorization, headers];
  };
  t.same(own('X-A: 1'), ['config', [['X-A', '1']]]);
  t.same(own('authorization: Basic x'), ['scenario', [['authorization', 'Basic x']]]);
  t.same(own('Authorization:'), ['none', []]);
  t.same(own('AUTHORIZATION:  \nX-A: 1'), ['none', [['X-A', '1']]]);
  t.same(own('Authorization: Bearer ${correlation_id}'), [
    'scenario',
    [['Authorization', 'Bearer tr-20261120T181420123-x']],
  ]);
  t.equal(resolveAuthorization(parseValid(buildScenarioText()).trigger), 'config');
});

t.test('other empty headers are sent empty', async (t) => {
  t.same(bound('GET ${INGESTION_URL}/a\nX-Empty:').headers, [['X-Empty', '']]);
});

t.test('a value with a line break cannot become a header', async (t) => {
  for (const value of ['a\r\nX-Evil: 1', 'a\nb', 'a\rb', 'a\0b', 'a\u007fb', 'a\u0085b', '€']) {
    const run = (): unknown => bound('GET ${INGESTION_URL}/a\nX-A: ${V}', { V: value });
    t.equal(catchCode(run), 'SCENARIO_VARIABLE_UNSENDABLE', JSON.stringify(value));
  }
  t.same(bound('GET ${INGESTION_URL}/a\nX-A: ${V}', { V: 'é\tü' }).headers, [['X-A', 'é\tü']]);
});

t.test('the error names the placeholder and never the value', async (t) => {
  try {
    bound('GET ${INGESTION_URL}/a\nX-A: ${V}', { V: 'hunter2\n' });
    t.fail('it must be refused');
  } catch (thrown) {
    const { message, cure, values, detail } = toVpError(thrown);
    t.match(message, '${V}');
    t.notMatch(JSON.stringify([message, cure, values, detail]), 'hunter2');
  }
});

t.test('a value in a path cannot end the path or the line, and keeps its separators', async (t) => {
  const path = (value: string): string => bound('GET ${INGESTION_URL}/x/${V}\nX-A: 1', { V: value }).path;
  t.equal(path('a/b?c=d&e=%20'), '/x/a/b?c=d&e=%20');
  t.equal(path('a b\r\nX: 1#é'), '/x/a%20b%0D%0AX:%201%23%C3%A9');
  t.equal(path('{}<>"\\^`'), '/x/%7B%7D%3C%3E%22%5C%5E%60');
  t.equal(path('\ud800'), '/x/%EF%BF%BD');
});

t.test('a value in a body is unchanged, and placeholders in it are text', async (t) => {
  const { body } = bound('POST ${INGESTION_URL}/a\nX-A: 1\n\n```\n${V}\n```', { V: '${correlation_id}\n"$&"' });
  t.equal(body, '${correlation_id}\n"$&"');
});

t.test('a variable without a value is reported', async (t) => {
  for (const name of ['V', 'constructor', '__proto__']) {
    t.equal(
      catchCode(() => bound(`GET \${INGESTION_URL}/a\nX-A: \${${name}}`)),
      'SCENARIO_VARIABLE_MISSING',
      name,
    );
  }
});

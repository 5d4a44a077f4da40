import t from 'tap';
import { refusedHeaders } from '../../src/scenario/refused-headers.ts';
import { buildScenarioText, codes, listDiagnostics, parseValid, written } from './samples.ts';

const id = 'X-Request-Id: ${correlation_id}';

function withHeaders(...lines: string[]): string {
  return buildScenarioText({ trigger: ['GET ${INGESTION_URL}/a', id, ...lines].join('\n') });
}

t.test('names are unchanged and values are trimmed', async (t) => {
  const { headers } = parseValid(withHeaders('x-a:1', 'X-B:   two  words ', 'X-C:', 'X-D: a: b', 'x-a: 2')).trigger;
  t.same(
    headers.slice(1).map(({ name, value }) => [name, written(value)]),
    [
      ['x-a', '1'],
      ['X-B', 'two  words'],
      ['X-C', ''],
      ['X-D', 'a: b'],
      ['x-a', '2'],
    ],
  );
});

t.test('a name is a token', async (t) => {
  for (const name of ['X A', 'X-Other ', 'Ü', 'a(b)', 'a/b', '"a"']) {
    t.same(listDiagnostics(withHeaders(`${name}: 1`)), [['SCENARIO_HEADER_NAME_INVALID', name]], name);
  }
  t.same(codes(withHeaders("!#$%&'*+.^_|~0aZ-: 1")), []);
});

t.test('a line without a colon or a name is not a header', async (t) => {
  for (const line of ['Accept application/json', ': value', 'x']) {
    t.same(listDiagnostics(withHeaders(line)), [['SCENARIO_HEADER_LINE_INVALID', line]], line);
  }
});

t.test('headers that belong to the connection or the platform are refused in any case', async (t) => {
  for (const name of refusedHeaders.keys()) {
    const upper = name.toUpperCase();
    t.same(listDiagnostics(withHeaders(`${upper}: 1`)), [['SCENARIO_HEADER_REFUSED', upper]], name);
  }
});

t.test('a value contains only characters that a header allows', async (t) => {
  t.same(codes(withHeaders('X-A: é ÿ \t "x"')), []);
  t.same(listDiagnostics(withHeaders('X-A: a€b')), [['SCENARIO_HEADER_VALUE_INVALID', '€']]);
  t.same(listDiagnostics(withHeaders('X-A: 😀')), [['SCENARIO_HEADER_VALUE_INVALID', '😀']]);
  t.same(listDiagnostics(withHeaders('X-A: a\u0007b')), [['SCENARIO_CONTROL_CHARACTER', '\u0007']]);
  t.same(listDiagnostics(withHeaders('X-A: a\rX-Evil: 1')), [['SCENARIO_LONE_CR', '\r']]);
  t.same(listDiagnostics(withHeaders('X-A: a\u0085b')), [['SCENARIO_CONTROL_CHARACTER', '\u0085']]);
});

t.test('some headers may appear only once', async (t) => {
  t.same(listDiagnostics(withHeaders('Authorization: a', 'authorization: b')), [
    ['SCENARIO_HEADER_DOUBLED', 'authorization: b'],
  ]);
  t.same(codes(withHeaders('x-request-id: 2')), ['SCENARIO_HEADER_DOUBLED']);
  t.same(codes(withHeaders('Accept: a', 'Accept: b')), []);
});

t.test('the run’s id must reach the target, or a warning says so', async (t) => {
  const warned = (line: string): unknown => codes(buildScenarioText({ trigger: `GET \${INGESTION_URL}/a\n${line}` }));
  t.same(warned('Accept: x'), ['SCENARIO_REQUEST_ID_MISSING']);
  t.same(warned('X-Request-Id: fixed'), ['SCENARIO_REQUEST_ID_MISSING']);
  t.same(warned('X-Other: ${correlation_id}'), ['SCENARIO_REQUEST_ID_MISSING']);
  t.same(warned('x-request-id: my-${correlation_id}'), []);
});

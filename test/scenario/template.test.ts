import t from 'tap';
import type { Placeholders } from '../../src/scenario/template.ts';
import { buildScenarioText, listDiagnostics, parseValid, read } from './samples.ts';

const names: Placeholders = { variables: ['TENANT'], secrets: ['API_TOKEN'], unlisted: ['USER_NAME'] };

function withValue(value: string): string {
  return buildScenarioText({ trigger: `GET \${INGESTION_URL}/a\nX-Request-Id: \${correlation_id}\nX-A: ${value}` });
}

t.test('text and placeholders become parts, each placeholder with its position', async (t) => {
  const text = withValue('a${TENANT}b${correlation_id}${INGESTION_URL}');
  const value = parseValid(text, names).trigger.headers[1]?.value;
  t.match(value?.parts, [
    { text: 'a' },
    { placeholder: 'TENANT' },
    { text: 'b' },
    { placeholder: 'correlation_id' },
    { placeholder: 'INGESTION_URL' },
  ]);
  const tenant = value?.parts[1];
  const range = tenant && 'range' in tenant ? tenant.range : undefined;
  t.equal(text.slice(range?.start.offset, range?.end.offset), '${TENANT}');
  t.equal(
    text.slice(value?.range.start.offset, value?.range.end.offset),
    'a${TENANT}b${correlation_id}${INGESTION_URL}',
  );
});

t.test('dollars and braces that do not form a placeholder are text', async (t) => {
  for (const value of ['$', '$$', '{a}', '$a', 'a$ {b}', '}']) {
    t.match(parseValid(withValue(value)).trigger.headers[1]?.value.parts, [{ text: value }], value);
  }
});

t.test('without a config only the two placeholders of every scenario are known', async (t) => {
  t.same(listDiagnostics(withValue('${TENANT}')), [['SCENARIO_PLACEHOLDER_UNKNOWN', '${TENANT}']]);
});

t.test('secret, unlisted and unknown names are distinguished', async (t) => {
  t.same(listDiagnostics(withValue('${API_TOKEN}'), names), [['SCENARIO_PLACEHOLDER_SECRET', '${API_TOKEN}']]);
  t.same(listDiagnostics(withValue('${USER_NAME}'), names), [['SCENARIO_PLACEHOLDER_UNLISTED', '${USER_NAME}']]);
  for (const value of ['${NOPE}', '${}', '${a b}', '${tenant}', '${__proto__}', '${ }']) {
    t.same(listDiagnostics(withValue(value), names), [['SCENARIO_PLACEHOLDER_UNKNOWN', value]], value);
  }
});

t.test('every refusal lists the known names', async (t) => {
  for (const value of ['${API_TOKEN}', '${USER_NAME}', '${NOPE}']) {
    const [diagnostic] = read(withValue(value), names).diagnostics;
    for (const known of ['${INGESTION_URL}', '${correlation_id}', '${TENANT}']) t.ok(diagnostic?.cure.includes(known));
  }
  t.match(read(withValue('${TENNANT}'), names).diagnostics[0]?.cure, /^did you mean `\$\{TENANT\}`\?/);
});

t.test('without the config every name is accepted except misspellings of known ones', async (t) => {
  const any = { variables: 'any' } as const;
  t.same(listDiagnostics(withValue('${TENANT}${A1_b}'), any), []);
  for (const value of ['${CORRELATION_ID}', '${INGESTION_URI}', '${a b}', '${1A}', '${}']) {
    t.same(listDiagnostics(withValue(value), any), [['SCENARIO_PLACEHOLDER_UNKNOWN', value]], value);
  }
  t.same(listDiagnostics(withValue('${API_TOKEN}'), { ...any, secrets: ['API_TOKEN'] }), [
    ['SCENARIO_PLACEHOLDER_SECRET', '${API_TOKEN}'],
  ]);
});

t.test('a placeholder ends on its line', async (t) => {
  t.same(listDiagnostics(withValue('a${TENANT'), names), [['SCENARIO_PLACEHOLDER_UNCLOSED', '${']]);
  t.same(listDiagnostics(withValue('${a${TENANT}'), names), [['SCENARIO_PLACEHOLDER_UNCLOSED', '${']]);
});

t.test('placeholders are found in the path and in every line of the body', async (t) => {
  const trigger = 'POST ${INGESTION_URL}/${P}\nContent-Type: a/b\nX-Request-Id: ${correlation_id}\n\n{\n${B1}\n ${B2}}';
  t.same(
    listDiagnostics(buildScenarioText({ trigger, title: 'POST x' })).map(([, marked]) => marked),
    ['${P}', '${B1}', '${B2}'],
  );
});

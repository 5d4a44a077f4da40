import t from 'tap';
import type { Placeholders } from '../../src/scenario/template.ts';
import { read, scenarioOf, textOf, told } from './samples.ts';

const names: Placeholders = { variables: ['TENANT'], secrets: ['API_TOKEN'], unlisted: ['USER_NAME'] };

function withValue(value: string): string {
  return textOf({ trigger: `GET \${INGESTION_URL}/a\nX-Request-Id: \${correlation_id}\nX-A: ${value}` });
}

t.test('text and placeholders become parts, each placeholder with its place', async (t) => {
  const text = withValue('a${TENANT}b${correlation_id}${INGESTION_URL}');
  const value = scenarioOf(text, names).trigger.headers[1]?.value;
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

t.test('dollars and braces that make no placeholder are text', async (t) => {
  for (const value of ['$', '$$', '{a}', '$a', 'a$ {b}', '}']) {
    t.match(scenarioOf(withValue(value)).trigger.headers[1]?.value.parts, [{ text: value }], value);
  }
});

t.test('without a config only the two of every scenario are known', async (t) => {
  t.same(told(withValue('${TENANT}')), [['SCENARIO_PLACEHOLDER_UNKNOWN', '${TENANT}']]);
});

t.test('names that are secrets, not listed or unknown are told apart', async (t) => {
  t.same(told(withValue('${API_TOKEN}'), names), [['SCENARIO_PLACEHOLDER_SECRET', '${API_TOKEN}']]);
  t.same(told(withValue('${USER_NAME}'), names), [['SCENARIO_PLACEHOLDER_UNLISTED', '${USER_NAME}']]);
  for (const value of ['${NOPE}', '${}', '${a b}', '${tenant}', '${__proto__}', '${ }']) {
    t.same(told(withValue(value), names), [['SCENARIO_PLACEHOLDER_UNKNOWN', value]], value);
  }
});

t.test('every refusal lists what is known', async (t) => {
  for (const value of ['${API_TOKEN}', '${USER_NAME}', '${NOPE}']) {
    const [diagnostic] = read(withValue(value), names).diagnostics;
    for (const known of ['${INGESTION_URL}', '${correlation_id}', '${TENANT}']) t.ok(diagnostic?.cure.includes(known));
  }
  t.match(read(withValue('${TENNANT}'), names).diagnostics[0]?.cure, /^did you mean `\$\{TENANT\}`\?/);
});

t.test('where the config is not at hand any name passes that is no slip of a known one', async (t) => {
  const any = { variables: 'any' } as const;
  t.same(told(withValue('${TENANT}${A1_b}'), any), []);
  for (const value of ['${CORRELATION_ID}', '${INGESTION_URI}', '${a b}', '${1A}', '${}']) {
    t.same(told(withValue(value), any), [['SCENARIO_PLACEHOLDER_UNKNOWN', value]], value);
  }
  t.same(told(withValue('${API_TOKEN}'), { ...any, secrets: ['API_TOKEN'] }), [
    ['SCENARIO_PLACEHOLDER_SECRET', '${API_TOKEN}'],
  ]);
});

t.test('a placeholder ends on its line', async (t) => {
  t.same(told(withValue('a${TENANT'), names), [['SCENARIO_PLACEHOLDER_UNCLOSED', '${']]);
  t.same(told(withValue('${a${TENANT}'), names), [['SCENARIO_PLACEHOLDER_UNCLOSED', '${']]);
});

t.test('they are found in the path and in every line of the body', async (t) => {
  const trigger = 'POST ${INGESTION_URL}/${P}\nContent-Type: a/b\nX-Request-Id: ${correlation_id}\n\n{\n${B1}\n ${B2}}';
  t.same(
    told(textOf({ trigger, title: 'POST x' })).map(([, marked]) => marked),
    ['${P}', '${B1}', '${B2}'],
  );
});

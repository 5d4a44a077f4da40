import t from 'tap';
import { checkKinds } from '../../src/check/kinds.ts';
import { captureSources } from '../../src/scenario/capture.ts';
import { type CompletionFacts, completeScenario } from '../../src/scenario/completion.ts';
import { renderExampleScenario } from '../../src/scenario/guide.ts';
import { layerDefinitions } from '../../src/scenario/layers.ts';
import { receiveForms } from '../../src/scenario/receive.ts';
import { sectionDefinitions } from '../../src/scenario/sections.ts';
import { listTokens } from '../../src/scenario/tokens.ts';

/** The labels at `|` of a text. */
function complete(marked: string, facts?: CompletionFacts): string[] {
  const offset = marked.indexOf('|');
  const text = marked.slice(0, offset) + marked.slice(offset + 1);
  return completeScenario(text, offset, facts)?.options.map(({ label }) => label) ?? [];
}

const head = '# Scenario: GET document\n\n## Metadata\n\n- ID: RT-1\n- Layer: HTTP Ingestion\n';

t.test('headings of missing sections, keys, layers and tags are completed', async (t) => {
  t.same(complete(`${head}\n## |`), [
    '## STEPS',
    '## TRIGGER',
    '## VERIFY',
    '## EXPECT',
    '## CASES',
    '## TIMEOUT',
    '## CLEANUP',
  ]);
  t.same(complete(`${head}\n## EXPECT\n\n### |`), ['### Runnable']);
  t.same(complete('#|'), [
    '# Scenario: <METHOD> <path-name>',
    ...sectionDefinitions.filter(({ within, isWritten }) => !within && !isWritten).map(({ name }) => `## ${name}`),
  ]);
  t.same(complete(`${head}- |`), ['- Tags:', '- Owner:', '- Links:']);
  t.same(
    complete('## Metadata\n\n- Layer: |'),
    layerDefinitions.map(({ name }) => name),
  );
  t.same(complete(`${head}- Tags: smoke, s|`, { tags: ['smoke', 'slow', 'http'] }), ['smoke', 'slow']);
});

t.test('methods, headers and placeholders are completed in the request', async (t) => {
  t.ok(complete('## TRIGGER\n\n|').includes('QUERY'));
  t.same(complete('## TRIGGER\n\nPA|'), ['PATCH']);
  t.same(complete('## TRIGGER\n\nGET ${INGESTION_URL}/x\nX|'), ['X-Request-Id: ${correlation_id}']);
  t.same(complete('## TRIGGER\n\nGET $|', { variables: ['USER_ID'] }), [
    '${INGESTION_URL}',
    '${correlation_id}',
    '${USER_ID}',
  ]);
  t.same(complete('## TRIGGER\n\nGET ${INGESTION_URL}/x\n\n{ "a": "x|'), []);
  t.same(complete('## EXPECT\n\n### Runnable\n\n- body has ${|'), [], 'never in checks, where they are not replaced');
});

t.test('checks are completed by kind, as far as the layer has the evidence', async (t) => {
  const runnable = '\n## EXPECT\n\n### Runnable\n\n';
  const requestForms = [
    ...captureSources.map(({ form }) => `capture <name> = ${form}`),
    'until <check> within 20s every 500ms',
    ...receiveForms.map(({ form }) => form),
    ...receiveForms.map(({ form }) => form.replace('events', 'messages')),
  ];
  const responseForms = checkKinds.filter(({ looksAt, refusedInPlain }) => looksAt === 'response' && !refusedInPlain);
  t.same(complete(`${head}${runnable}- |`), [
    ...responseForms.map(({ form }) => form),
    ...requestForms.filter((form) => !/= (?:log|db) /.test(form)),
  ]);
  t.same(
    complete(`${runnable}- |`).length,
    checkKinds.length + requestForms.length,
    'all of them while the layer is not known',
  );
  t.ok(
    complete(`${head.replace('Ingestion', 'Ingestion + Log')}${runnable}- lo|`).every((form) =>
      form.startsWith('log '),
    ),
  );
  t.same(complete(`${head}${runnable}- body has count m|`), ['matching <regex>']);
  t.same(complete(`${head}${runnable}- body has co|`, { fields: ['count', 'data[0].id'] }), ['count']);
  t.same(complete(`${head}${runnable}- status=200|`), []);
  t.same(complete(`${head}\n## TIMEOUT\n\n|`), ['5s', '30s', '60s', '120s']);
});

t.test('the words of a scenario have the roles of the language, in order and without overlap', async (t) => {
  const text = renderExampleScenario();
  const tokens = listTokens(text).map(({ from, to, kind }) => [kind, text.slice(from, to)]);
  for (const expected of [
    ['heading', '## TRIGGER'],
    ['key', 'ID'],
    ['value', 'RT-GET-document'],
    ['method', 'GET'],
    ['placeholder', '${INGESTION_URL}'],
    ['key', 'X-Request-Id'],
    ['keyword', 'status'],
    ['value', '200'],
    ['keyword', 'body'],
    ['keyword', 'has'],
  ])
    t.ok(
      tokens.some(([kind, word]) => kind === expected[0] && word === expected[1]),
      expected.join(' '),
    );
  const positions = listTokens(text);
  t.ok(positions.every(({ from }, index) => from >= (positions[index - 1]?.to ?? 0)));
  const [value] = listTokens('### Runnable\n\n- body has count matching ^[0-9]+ has x$').filter(
    ({ kind }) => kind === 'value',
  );
  t.equal(value && '### Runnable\n\n- body has count matching ^[0-9]+ has x$'.slice(value.from), '^[0-9]+ has x$');
});

t.test('requests of steps and of the cleanup are completed, and captures after their request', async (t) => {
  const steps = '## STEPS\n\n### create\n\nPOST ${INGESTION_URL}/orders\n';
  t.same(complete('## STEPS\n\n### create\n\nPA|'), ['PATCH']);
  t.ok(complete(`${steps}X|`).includes('X-Request-Id: ${correlation_id}'));
  t.ok(complete(`${steps}\n- sta|`).includes('status=<code>'));
  t.same(
    complete(`${steps}\n- capture order_id = body.id\n\n## EXPECT\n\n### Runnable\n\n- body has id equals \${o|`),
    ['${order_id}'],
  );
  t.same(
    complete(
      `${steps}\n- capture order_id = body.id\n\n## CLEANUP\n\n### remove\n\nDELETE \${INGESTION_URL}/orders/\${o|`,
    ),
    ['${order_id}'],
  );
  t.same(complete('## CLEANUP\n\nDelete the o|'), [], 'prose is not completed');
});

t.test('columns of cases are completed in requests and checks, and rows with their cells', async (t) => {
  const table = '## CASES\n\n| case | page |\n| --- | --- |\n';
  t.ok(complete(`${head}\n## TRIGGER\n\nGET ${'$'}{INGESTION_URL}/x?page=$|\n\n${table}`).includes('${page}'));
  t.same(complete(`${head}\n## EXPECT\n\n### Runnable\n\n- body has page equals $|\n\n${table}`), [
    '${case}',
    '${page}',
  ]);
  t.same(complete(`${head}\n## STEPS\n\nu|`), ['use: <file>']);
  t.same(complete(`${head}\n## CASES\n\nf|`), ['from: <file>']);
  const text = `${head}\n${table}`;
  t.same(
    completeScenario(text, text.length)?.options.map(({ label }) => label),
    ['| <case> | <page> |'],
  );
});

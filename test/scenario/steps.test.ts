import t from 'tap';
import { formatScenario } from '../../src/scenario/format.ts';
import { hasRequestFeatures } from '../../src/scenario/steps.ts';
import { buildScenarioText, listDiagnostics, parseValid, read } from './samples.ts';

const create = '### create\n\nPOST ${INGESTION_URL}/orders\n\n- status=201\n- capture order_id = body.id';
const remove = '## CLEANUP\n\n### remove\n\nDELETE ${INGESTION_URL}/orders/${order_id}\n\n- status=204';

/** STEPS before TRIGGER. */
function withSteps(steps: string, parts: Parameters<typeof buildScenarioText>[0] = {}): string {
  return buildScenarioText(parts).replace('## TRIGGER', `## STEPS\n\n${steps}\n\n## TRIGGER`);
}

const usesOrder = { trigger: 'GET ${INGESTION_URL}/orders/${order_id}\nX-Request-Id: ${correlation_id}' };

t.test('steps have a request, checks and captures, which are placeholders afterwards', async (t) => {
  const text = withSteps(create, {
    ...usesOrder,
    checks: '- status=200\n- body has id equals ${order_id}\n- capture etag = header ETag',
    more: remove,
  });
  t.same(listDiagnostics(text), []);
  const scenario = parseValid(text);
  t.match(scenario.steps, [{ name: 'create', trigger: { method: 'POST' }, captures: [{ name: 'order_id' }] }]);
  t.same(
    scenario.steps[0]?.checks.map(({ check }) => check.kind),
    ['status', 'capture'],
  );
  t.match(scenario.captures, [{ name: 'etag', source: { kind: 'header', name: 'ETag' } }]);
  t.match(scenario.cleanupSteps, [{ name: 'remove', trigger: { method: 'DELETE' } }]);
  t.ok(scenario.checks[1]?.template, 'a check of a captured value is bound later');
  t.ok(hasRequestFeatures(scenario));
});

t.test('a scenario without steps, captures and repetition needs nothing new', async (t) => {
  t.notOk(hasRequestFeatures(parseValid(buildScenarioText())));
});

t.test('CLEANUP stays prose unless a heading of it holds a request', async (t) => {
  const prose = '## CLEANUP\n\nDelete the order by hand.\n\n### Why\n\nNobody needs it.';
  t.same(listDiagnostics(buildScenarioText({ more: prose })), []);
  const { cleanupSteps, cleanup } = parseValid(buildScenarioText({ more: prose }));
  t.same(cleanupSteps, []);
  t.match(cleanup, /### Why/);
  const unsent = buildScenarioText({ more: '## CLEANUP\n\nDELETE ${INGESTION_URL}/orders' });
  t.same(listDiagnostics(unsent), [['SCENARIO_CLEANUP_NOT_SENT', 'DELETE ${INGESTION_URL}/orders']]);
  t.ok(read(unsent).scenario, 'a warning');
  const misspelled = buildScenarioText({ more: '## CLEANUP\n\n### remove\n\nDELET ${INGESTION_URL}/orders' });
  t.same(listDiagnostics(misspelled), [['SCENARIO_METHOD_UNKNOWN', 'DELET']], 'a misspelled one is not silently text');
});

t.test('mistakes in steps are reported where they are', async (t) => {
  const cases: readonly (readonly [steps: string, code: string, marked: string])[] = [
    ['', 'SCENARIO_STEPS_EMPTY', '## STEPS'],
    ['Log in first.\n\n### a\n\nGET ${INGESTION_URL}/', 'SCENARIO_STEP_TEXT', 'Log in first.'],
    ['#### a\n\nGET ${INGESTION_URL}/', 'SCENARIO_STEP_HEADING', '#### a'],
    ['### a\n\nGET ${INGESTION_URL}/\n\n### A\n\nGET ${INGESTION_URL}/', 'SCENARIO_STEP_DOUBLED', '### A'],
    ['### a\n\n- status=200', 'SCENARIO_STEP_EMPTY', '### a'],
    ['### a\n\nGET ${INGESTION_URL}/\n\n- db rows>=1', 'SCENARIO_CHECK_LAYER', 'db rows>=1'],
    ['### a\n\nGET ${INGESTION_URL}/\n\n- capture x = log id', 'SCENARIO_CHECK_LAYER', 'capture x = log id'],
    [
      '### a\n\nGET ${INGESTION_URL}/\n\n- capture x = db id equals 1',
      'SCENARIO_CAPTURE_INVALID',
      'capture x = db id equals 1',
    ],
    ['### a\n\nGET ${INGESTION_URL}/\n\n- capture x body.id', 'SCENARIO_CAPTURE_INVALID', 'capture x body.id'],
    ['### a\n\nGET ${INGESTION_URL}/\n\n- capture x = body..id', 'SCENARIO_CAPTURE_INVALID', 'capture x = body..id'],
    [
      '### a\n\nGET ${INGESTION_URL}/\n\n- capture correlation_id = status',
      'SCENARIO_CAPTURE_TAKEN',
      'capture correlation_id = status',
    ],
    [
      '### a\n\nGET ${INGESTION_URL}/\n\n- capture x = status\n- capture x = body.id',
      'SCENARIO_CAPTURE_DOUBLED',
      'capture x = body.id',
    ],
    ['### a\n\nGET ${INGESTION_URL}/\n\n- until status=200', 'SCENARIO_UNTIL_INVALID', 'until status=200'],
    [
      '### a\n\nGET ${INGESTION_URL}/\n\n- until status=200 within 20s every 1ms',
      'SCENARIO_UNTIL_INVALID',
      'until status=200 within 20s every 1ms',
    ],
    [
      '### a\n\nPOST ${INGESTION_URL}/\n\n- until status=200 within 20s',
      'SCENARIO_UNTIL_METHOD',
      'until status=200 within 20s',
    ],
    [
      '### a\n\nGET ${INGESTION_URL}/\n\n- until status=200 within 20s\n- until body has a within 20s',
      'SCENARIO_UNTIL_DOUBLED',
      'until body has a within 20s',
    ],
  ];
  for (const [steps, code, marked] of cases) t.same(listDiagnostics(withSteps(steps)), [[code, marked]], steps);
  const many = Array.from({ length: 31 }, (_, index) => `### a${index}\n\nGET \${INGESTION_URL}/`).join('\n\n');
  t.same(listDiagnostics(withSteps(many)), [['SCENARIO_STEPS_TOO_MANY', '### a30']]);
});

t.test('a capture is known only after its request, and only as the operand of a check', async (t) => {
  const own = '### a\n\nGET ${INGESTION_URL}/${x}\n\n- capture x = body.id';
  t.same(listDiagnostics(withSteps(own)), [['SCENARIO_PLACEHOLDER_UNKNOWN', '${x}']]);
  const before = '### a\n\nGET ${INGESTION_URL}/\n\n- capture x = body.id\n- body has id equals ${x}';
  t.same(listDiagnostics(withSteps(before)), [['SCENARIO_CHECK_PLACEHOLDER', '${x}']], 'its own is compared literally');
  const path = withSteps(create, { checks: '- body has items[${order_id}]' });
  t.same(listDiagnostics(path), [['SCENARIO_CAPTURE_POSITION', 'body has items[${order_id}]']]);
});

t.test('until is for one check of the response, and repeatable allows every method', async (t) => {
  const log = '- ID: RT-GET-document\n- Layer: HTTP Ingestion + Log';
  const evidence = buildScenarioText({ metadata: log, checks: '- until log lines>=1 within 5s' });
  t.same(listDiagnostics(evidence), [['SCENARIO_UNTIL_EVIDENCE', 'until log lines>=1 within 5s']]);
  const post = '### a\n\nPOST ${INGESTION_URL}/\n\n- until status=200 within 20s every 250ms repeatable';
  t.match(parseValid(withSteps(post)).steps[0]?.until, {
    withinMs: 20_000,
    everyMs: 250,
    check: { check: { kind: 'status' } },
  });
  const plain = buildScenarioText({ checks: '- until body has state equals done within 300ms' });
  t.match(parseValid(plain).until, { withinMs: 300, everyMs: 300 }, 'not less often than once');
});

t.test('concurrent is for a step that captures nothing and looks at its responses only', async (t) => {
  const step = (bullets: string) => withSteps(`### a\n\nPOST \${INGESTION_URL}/orders\n\n${bullets}`);
  const text = step('- concurrent 8\n- status=201');
  t.same(listDiagnostics(text), []);
  t.match(parseValid(text).steps, [{ concurrent: 8, checks: [{ text: 'status=201' }] }]);
  for (const wrong of ['concurrent', 'concurrent 1', 'concurrent 17', 'concurrent eight', 'concurrent 8 times'])
    t.same(listDiagnostics(step(`- ${wrong}`)), [['SCENARIO_CONCURRENT_INVALID', wrong]]);
  t.same(listDiagnostics(step('- concurrent 2\n- concurrent 3')), [['SCENARIO_CONCURRENT_INVALID', 'concurrent 3']]);
  for (const other of ['capture id = body.id', 'until status=201 within 5s repeatable'])
    t.same(listDiagnostics(step(`- concurrent 8\n- ${other}`)), [['SCENARIO_CONCURRENT_COMBINED', 'concurrent 8']]);
  const position = [['SCENARIO_CONCURRENT_POSITION', 'concurrent 8']];
  t.same(listDiagnostics(buildScenarioText({ checks: '- status=200\n- concurrent 8' })), position);
  t.same(listDiagnostics(withSteps(create, { ...usesOrder, more: `${remove}\n- concurrent 8` })), position);
});

t.test('steps are formatted, and formatting again changes nothing', async (t) => {
  const untidy = withSteps(
    '###   create   \n```http\nPOST   ${INGESTION_URL}/orders\nContent-Type:application/json\n\n{"a": 1}\n```\n* status=201\n\n+ `capture order_id = body.id`',
    {
      ...usesOrder,
      more: '## CLEANUP\nText stays.\n### Note\nprose  \n### remove\nDELETE ${INGESTION_URL}/orders/${order_id}\n* status=204',
    },
  );
  const formatted = formatScenario(untidy, {}, () => {}) ?? '';
  t.match(
    formatted,
    '## STEPS\n\n### create\n\n```http\nPOST ${INGESTION_URL}/orders\nContent-Type: application/json\n\n{"a": 1}\n```\n\n- status=201\n- capture order_id = body.id\n\n## TRIGGER',
  );
  t.match(
    formatted,
    'Text stays.\n\n### Note\nprose\n\n### remove\n\nDELETE ${INGESTION_URL}/orders/${order_id}\n\n- status=204\n',
  );
  t.equal(
    formatScenario(formatted, {}, () => {}),
    formatted,
  );
});

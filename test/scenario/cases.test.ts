import t from 'tap';
import { formatScenario } from '../../src/scenario/format.ts';
import { buildScenarioText, listDiagnostics, parseValid, read } from './samples.ts';

const trigger = 'GET ${INGESTION_URL}/orders?page=${page}\nX-Request-Id: ${correlation_id}';

function withCases(table: string, parts: Parameters<typeof buildScenarioText>[0] = {}): string {
  return buildScenarioText({ trigger, checks: '- status=${status}', more: `## CASES\n\n${table}`, ...parts });
}

const table = '| case | page | status |\n| --- | --- | --- |\n| first | 1 | 200 |\n| zero | 0 | 422 |';

t.test('each row is a case, and its columns are placeholders', async (t) => {
  t.same(listDiagnostics(withCases(table)), []);
  const { cases, trigger: request } = parseValid(withCases(table));
  t.same(
    cases.map(({ name, values, range }) => [name, [...values].map(([key, { text }]) => [key, text]), range.start.line]),
    [
      [
        'first',
        [
          ['case', 'first'],
          ['page', '1'],
          ['status', '200'],
        ],
        cases[0]?.range.start.line,
      ],
      [
        'zero',
        [
          ['case', 'zero'],
          ['page', '0'],
          ['status', '422'],
        ],
        (cases[0]?.range.start.line ?? 0) + 1,
      ],
    ],
  );
  t.match(request.path.parts, [{ text: '/orders?page=' }, { placeholder: 'page' }]);
  t.same(parseValid(buildScenarioText()).cases, [], 'a scenario without the section has none');
});

t.test('without a column of names the rows are numbered', async (t) => {
  const { cases } = parseValid(withCases('| page | status |\n| - | :-: |\n| 1 | 200 |\n\n| 2 | 200 |'));
  t.same(
    cases.map(({ name }) => name),
    ['row 1', 'row 2'],
  );
});

t.test('a cell is taken as it stands, and holds a pipe where it is escaped', async (t) => {
  const text = withCases('| page | status |\n| --- | --- |\n| `a\\|b` "c" | 200 |\n|  | 404 |');
  t.same(
    parseValid(text).cases.map(({ values }) => values.get('page')?.text),
    ['`a|b` "c"', ''],
  );
});

t.test('columns stand in steps, queries and the cleanup too', async (t) => {
  const text = withCases(table, {
    trigger: 'GET ${INGESTION_URL}/orders/${id}\nX-Request-Id: ${correlation_id}',
    more: `## CASES\n\n${table}\n\n## CLEANUP\n\n### remove\n\nDELETE \${INGESTION_URL}/orders/\${id}?page=\${page}`,
  }).replace(
    '## TRIGGER',
    '## STEPS\n\n### a\n\nPOST ${INGESTION_URL}/orders?page=${page}\n\n- capture id = body.id\n\n## TRIGGER',
  );
  t.same(listDiagnostics(text), []);
});

t.test('mistakes in the table are reported where they are', async (t) => {
  const head = '| case | page | status |\n| --- | --- | --- |';
  const wrong: readonly (readonly [table: string, code: string, marked: string])[] = [
    ['| case | page | status |', 'SCENARIO_CASES_HEAD', '| case | page | status |'],
    ['| page | status |\n| 1 | 200 |', 'SCENARIO_CASES_HEAD', '| page | status |'],
    ['', 'SCENARIO_CASES_HEAD', '## CASES'],
    [head, 'SCENARIO_CASES_EMPTY', '## CASES'],
    [`Pages.\n\n${table}`, 'SCENARIO_CASES_TEXT', 'Pages.'],
    [`${table}\nlast | 9 | 200`, 'SCENARIO_CASES_TEXT', 'last | 9 | 200'],
    ['| page | status | a b |\n| --- | --- | --- |\n| 1 | 200 | c |', 'SCENARIO_CASES_COLUMN', 'a b'],
    [
      '| page | status | correlation_id |\n| --- | --- | --- |\n| 1 | 200 | c |',
      'SCENARIO_CASES_COLUMN_TAKEN',
      'correlation_id',
    ],
    ['| page | status | page |\n| --- | --- | --- |\n| 1 | 200 | 2 |', 'SCENARIO_CASES_COLUMN_TAKEN', 'page'],
    [`${table}\n| third | 3 |`, 'SCENARIO_CASE_CELLS', '| third | 3 |'],
    [`${table}\n|  | 3 | 200 |`, 'SCENARIO_CASE_NAME', '|  | 3 | 200 |'],
    [`${table}\n| zero | 3 | 200 |`, 'SCENARIO_CASE_DOUBLED', 'zero'],
    [`${table}\n| third | 3 | ok |`, 'SCENARIO_CASE_CHECK', '| third | 3 | ok |'],
    [`${table}\n| third | 3 |  |`, 'SCENARIO_CASE_CHECK', '| third | 3 |  |'],
  ];
  for (const [rows, code, marked] of wrong) {
    const text = withCases(rows);
    const own = listDiagnostics(text).filter(([each]) => each?.startsWith('SCENARIO_CASE'));
    t.same(own, [[code, marked]], rows);
    t.equal(read(text).scenario, undefined);
  }
});

t.test('at most 1,000 cases', async (t) => {
  const rows = Array.from({ length: 1001 }, (_, index) => `| ${index} | 200 |`);
  const build = (count: number): string =>
    withCases(['| page | status |', '| --- | --- |', ...rows.slice(0, count)].join('\n'));
  t.equal(parseValid(build(1000)).cases.length, 1000);
  t.match(listDiagnostics(build(1001)), [['SCENARIO_CASES_TOO_MANY', '## CASES']]);
});

t.test('a column that nothing uses is a warning', async (t) => {
  const text = withCases('| page | status | total |\n| --- | --- | --- |\n| 1 | 200 | 3 |');
  t.same(listDiagnostics(text), [['SCENARIO_CASES_COLUMN_UNUSED', 'total']]);
  t.ok(read(text).scenario);
});

t.test('a capture cannot have the name of a column', async (t) => {
  const text = withCases(table, { checks: '- status=${status}\n- capture page = body.id' });
  t.same(listDiagnostics(text), [['SCENARIO_CAPTURE_TAKEN', 'capture page = body.id']]);
});

t.test('the table is aligned, and stays so', async (t) => {
  const text = withCases('|case|page|status|\n|-|:-:|-:|\n|first page|1|200|\n<!-- later -->\n\n|a\\|b|0|422|');
  const formatted = formatScenario(text, {}, () => {}) ?? '';
  const lines = [
    '| case       | page | status |',
    '| ---------- | :--: | -----: |',
    '| first page | 1    | 200    |',
    '<!-- later -->',
    '| a\\|b       | 0    | 422    |',
  ];
  t.match(formatted, `## CASES\n\n${lines.join('\n')}\n`);
  t.equal(
    formatScenario(formatted, {}, () => {}),
    formatted,
  );
  t.same(
    parseValid(formatted).cases.map(({ values }) => [...values]),
    parseValid(text).cases.map(({ values }) => [...values]),
  );
});

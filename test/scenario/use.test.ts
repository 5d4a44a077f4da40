/** Files that a scenario uses: steps of others (`use:`), and cases from CSV and JSON (`from:`). */
import t from 'tap';
import { embedFiles, locateLine, removeFiles } from '../../src/scenario/embedded-files.ts';
import { formatScenario } from '../../src/scenario/format.ts';
import { looksLikeScenario } from '../../src/scenario/title.ts';
import { buildScenarioText, listDiagnostics, parseValid, read } from './samples.ts';

const signIn = `## STEPS

### sign in

POST \${INGESTION_URL}/session

- status=200
- capture token = body.token

## CLEANUP

### sign out

DELETE \${INGESTION_URL}/session/\${token}
`;

const order = `# Scenario: POST order

## STEPS

use: sign-in.md

### create order

POST \${INGESTION_URL}/orders
Authorization: Bearer \${token}

- status=201
- capture order_id = body.id

## CLEANUP

### remove order

DELETE \${INGESTION_URL}/orders/\${order_id}
`;

const using = (steps: string): string =>
  buildScenarioText({ trigger: 'GET ${INGESTION_URL}/orders/1\nX-Request-Id: ${correlation_id}' }).replace(
    '## TRIGGER',
    `## STEPS\n\n${steps}\n\n## TRIGGER`,
  );

const reader = (files: Record<string, string>) => (name: string) => files[name];

t.test('steps of another scenario come first, and what was made last is removed first', async (t) => {
  const text = embedFiles(
    using('use: fixtures/order.md\n\n### pay\n\nPUT ${INGESTION_URL}/orders/${order_id}'),
    reader({ 'fixtures/order.md': order, 'fixtures/sign-in.md': signIn }),
  );
  t.same(listDiagnostics(text), []);
  const { steps, cleanupSteps } = parseValid(text);
  t.same(
    steps.map(({ name }) => name),
    ['sign in', 'create order', 'pay'],
  );
  t.same(
    cleanupSteps.map(({ name }) => name),
    ['remove order', 'sign out'],
  );
});

t.test('the text has what it uses, is formatted, and can be taken apart again', async (t) => {
  const own = using('use: sign-in.md');
  const text = embedFiles(own, reader({ 'sign-in.md': signIn }));
  t.match(text, /\n## FILES\n\n### sign-in\.md\n\n~~~\n## STEPS/);
  t.equal(removeFiles(text), `${own.trimEnd()}\n`);
  t.equal(
    embedFiles(text, () => undefined),
    text,
    'what the folder has no more stays',
  );
  t.match(embedFiles(text, reader({ 'sign-in.md': signIn.replace('/session\n', '/login\n') })), '/login\n');
  const formatted = formatScenario(text, {}, () => {}) ?? '';
  t.equal(
    formatScenario(formatted, {}, () => {}),
    formatted,
  );
  t.same(
    parseValid(formatted).steps.map(({ name }) => name),
    ['sign in'],
  );
  t.equal(
    embedFiles(buildScenarioText(), () => signIn),
    buildScenarioText(),
    'a text that uses nothing is unchanged',
  );
});

t.test('a scenario is used by its ID too, and a file with fences stays whole', async (t) => {
  const withBody = signIn.replace('- status', '~~~~json\n{ "a": "~~~" }\n~~~~\n\n- status');
  const text = embedFiles(using('use: RT-POST-session'), reader({ 'RT-POST-session': withBody }));
  t.same(
    listDiagnostics(text).filter(([code]) => code !== 'SCENARIO_CONTENT_TYPE_MISSING'),
    [],
  );
  t.equal(parseValid(text).steps.length, 1);
});

t.test('a line of a used file is located there', async (t) => {
  const text = embedFiles(using('use: lib/sign-in.md'), reader({ 'lib/sign-in.md': signIn }));
  const [step] = parseValid(text).steps;
  const { line } = step?.range.start ?? { line: 0 };
  t.same(locateLine('tests/a.md', text, line), { file: 'tests/lib/sign-in.md', line: 3 });
  t.same(locateLine('/home/a.md', text, line), { file: '/home/lib/sign-in.md', line: 3 });
  t.same(locateLine('tests/a.md', text, 5), { file: 'tests/a.md', line: 5 });
});

t.test('a text is read once for all of its lines: a run of a thousand cases has as many', async (t) => {
  const cases = `case,size\n${Array.from({ length: 1000 }, (_, index) => `case-${index},${index}`).join('\n')}\n`;
  const text = (size: number): string =>
    `${using('use: lib/sign-in.md')}\n## FILES\n\n### sizes-${size}.csv\n\n~~~csv\n${cases}~~~\n`;
  const measure = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const locate = (of: string, line: number): void => void locateLine('a.md', of, line);
  const attempts = [1, 2, 3, 4, 5].map((attempt) => {
    const own = text(attempt);
    const once = measure(() => locate(own, 1));
    return (
      measure(() => {
        for (let line = 1; line <= 1000; line += 1) locate(own, line);
      }) / once
    );
  });
  t.ok(
    Math.min(...attempts) < 100,
    `a thousand lines took ${attempts.map(Math.round).join(', ')} times as much as one`,
  );
});

t.test('what cannot be used is reported where it is named', async (t) => {
  const files = {
    'a.md': signIn.replace('### sign in', 'use: b.md\n\n### sign in'),
    'b.md': '## STEPS\n\nuse: a.md\n',
    'empty.md': '# Notes\n',
    'deep.md': '## STEPS\n\nuse: deep1.md\n',
    ...Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`deep${at}.md`, `## STEPS\n\nuse: deep${at + 1}.md\n`])),
  };
  const report = (use: string) => listDiagnostics(embedFiles(using(`use: ${use}`), reader(files)));
  t.same(report('absent.md'), [['SCENARIO_FILE_ABSENT', 'absent.md']]);
  t.same(report('empty.md'), [['SCENARIO_USE_EMPTY', 'empty.md']]);
  t.same(report('a.md'), [['SCENARIO_USE_CYCLE', 'a.md']]);
  t.same(report('deep.md'), [['SCENARIO_USE_DEPTH', 'deep5.md']]);
  t.match(report('../../../a.md'), [['SCENARIO_FILE_ABSENT']]);
  const doubled = using('use: a2.md\n\n### sign in\n\nGET ${INGESTION_URL}/');
  t.match(listDiagnostics(embedFiles(doubled, reader({ 'a2.md': signIn }))), [
    ['SCENARIO_STEP_DOUBLED', '### sign in'],
  ]);
});

t.test('a file of steps only is not taken for a scenario', async (t) => {
  t.notOk(looksLikeScenario(signIn));
  t.ok(looksLikeScenario(order));
});

const withCases = (reference: string): string =>
  buildScenarioText({
    trigger: 'GET ${INGESTION_URL}/orders?page=${page}\nX-Request-Id: ${correlation_id}',
    checks: '- status=${status}',
    more: `## CASES\n\nfrom: ${reference}`,
  });

const listCases = (name: string, content: string) =>
  parseValid(embedFiles(withCases(name), reader({ [name]: content }))).cases.map((entry) =>
    [...entry.values].map(([, { text }]) => text),
  );

t.test('cases come from a CSV file', async (t) => {
  t.same(listCases('pages.csv', 'case,page,status\r\nfirst,1,200\r\n"a ""b"", c","x\ny",422\r\n'), [
    ['first', '1', '200'],
    ['a "b", c', 'x\ny', '422'],
  ]);
  t.same(listCases('pages.csv', 'page,status\n,200\n 2 ,200'), [
    ['', '200'],
    [' 2 ', '200'],
  ]);
});

t.test('a file that is no scenario stays whole, also with a line that begins the files of one', async (t) => {
  const content = 'page,status\n"a\n## FILES\nb",200';
  t.same(listCases('pages.csv', content), [['a\n## FILES\nb', '200']]);
});

t.test('cases come from a JSON file, with numbers as they are written', async (t) => {
  const list = '[{"case": "a", "page": 1.0, "status": 200}, {"status": "422", "case": "b", "page": null}]';
  t.same(listCases('pages.json', list), [
    ['a', '1.0', '200'],
    ['b', 'null', '422'],
  ]);
});

t.test('mistakes in a file of cases are reported', async (t) => {
  const report = (name: string, content: string) =>
    listDiagnostics(embedFiles(withCases(name), reader({ [name]: content }))).filter(([code]) =>
      code?.includes('_CASE'),
    );
  t.same(report('a.csv', 'case,page,status\nfirst,1'), [['SCENARIO_CASE_CELLS', 'first,1']]);
  t.same(report('a.csv', 'case,page,status\nfirst,1,ok'), [['SCENARIO_CASE_CHECK', 'from: a.csv']]);
  t.same(report('a.csv', 'page,status\n"1,200'), [['SCENARIO_CASES_FILE', 'a.csv']]);
  t.same(report('a.csv', ''), [['SCENARIO_CASES_FILE', 'a.csv']]);
  t.same(report('a.txt', 'page,status\n1,200'), [['SCENARIO_CASES_FILE', 'a.txt']]);
  t.same(report('a.json', '{"page": 1}'), [['SCENARIO_CASES_FILE', 'a.json']]);
  t.same(report('a.json', '[{"page": 1, "status": 200}, {"page": 2}]'), [['SCENARIO_CASES_FILE', 'a.json']]);
  t.same(report('a.json', '[{"page": [1], "status": 200}]'), [['SCENARIO_CASES_FILE', 'a.json']]);
  const both = withCases('a.csv\n| 1 | 200 |');
  t.match(listDiagnostics(embedFiles(both, reader({ 'a.csv': 'page,status\n1,200' }))), [
    ['SCENARIO_CASES_TEXT', '| 1 | 200 |'],
  ]);
  t.equal(read(withCases('absent.csv')).scenario, undefined);
});

t.test('checks have the files that they name, also in steps of other scenarios and in repetitions', async (t) => {
  const files = {
    'expected/a.json': '{"id": 1}',
    'lib/session.md': signIn.replace('- status=200', '- status=200\n- body matches schema session.json'),
    'lib/session.json': '{"type": "object"}',
  };
  const own = using('use: lib/session.md').replace(
    /- status=200\n?$/m,
    '- status=200\n- until body equals file expected/a.json ignoring at within 5s',
  );
  const text = embedFiles(own, reader(files));
  t.same(listDiagnostics(text), []);
  const { steps, checks, until } = parseValid(text);
  t.match(steps[0]?.checks.find(({ check }) => check.kind === 'schema')?.check, { schema: '{"type": "object"}' });
  t.match(checks.at(-1)?.check, { kind: 'equals_file', content: { id: 1 } });
  t.equal(until?.check, checks.at(-1));
});

t.test('a file that a check cannot use is reported with its check', async (t) => {
  const report = (check: string, content = '{') =>
    listDiagnostics(
      embedFiles(buildScenarioText({ checks: `- status=200\n- ${check}` }), reader({ 'a.json': content })),
    );
  t.same(report('body equals file b.json'), [['SCENARIO_FILE_ABSENT', 'body equals file b.json']]);
  t.same(report('body equals file a.json'), [['SCENARIO_CHECK_FILE', 'body equals file a.json']]);
  t.same(report('body matches schema a.json', '[]'), [['SCENARIO_CHECK_FILE', 'body matches schema a.json']]);
  const captured = withCases('a.csv').replace('- status', '- body equals file ${page}.json\n- status');
  t.match(listDiagnostics(embedFiles(captured, reader({ 'a.csv': 'page,status\na,200' }))), [
    ['SCENARIO_CAPTURE_POSITION', 'body equals file ${page}.json'],
  ]);
});

t.test('of an OpenAPI document the text has only what the scenario sends', async (t) => {
  const responses = { 200: { content: { 'application/json': { schema: { type: 'object' } } } } };
  const paths = { '/orders/{id}': { get: { responses } }, '/other': { get: { responses } } };
  const document = JSON.stringify({ openapi: '3.1.0', paths });
  const own = buildScenarioText({
    trigger: 'GET ${INGESTION_URL}/orders/7\nX-Request-Id: ${correlation_id}',
    checks: '- status=200\n- body matches schema openapi.json',
  });
  const text = embedFiles(own, reader({ 'openapi.json': document }));
  t.same(listDiagnostics(text), []);
  t.notMatch(text, '/other');
  t.match(parseValid(text).checks[1]?.check, { kind: 'schema', responses: new Map([['200', /"type":"object"/]]) });
  t.equal(embedFiles(text, reader({ 'openapi.json': document })), text);
  const none = embedFiles(own.replace('/orders/7', '/absent'), reader({ 'openapi.json': document }));
  t.same(listDiagnostics(none), [['SCENARIO_CHECK_FILE', 'body matches schema openapi.json']]);
});

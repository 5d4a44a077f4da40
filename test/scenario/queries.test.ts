import t from 'tap';
import { buildScenarioText, codes, listDiagnostics, parseValid, read, written } from './samples.ts';

const metadata = (layer: string): string => `- ID: RT-1\n- Layer: ${layer}`;
const database = metadata('HTTP Ingestion + Database');
const fence = (info: string, sql: string): string => `\`\`\`${info}\n${sql}\n\`\`\``;

function text(verify: string, checks = '- db rows=1'): string {
  return buildScenarioText({ metadata: database, checks, more: `## VERIFY\n\n${verify}` });
}

t.test('only a fence of VERIFY that begins with sql is a query', async (t) => {
  const verify = `Prose; SELECT 0.\n\n${fence('', 'SELECT 2')}\n\n${fence('sql', 'SELECT 1;')}\n\n<!--\n${fence('sql', 'SELECT 3')}\n-->`;
  const { queries, checks } = parseValid(text(verify));
  t.same(
    queries.map(({ name, sql }) => [name, written(sql)]),
    [['query', 'SELECT 1']],
  );
  t.match(checks[0]?.check, { kind: 'database_rows', query: 'query' });
});

t.test('several queries have names, and checks refer to them', async (t) => {
  const verify = `${fence('sql documents', 'SELECT 1')}\n\n${fence('SQL   two_2', '(VALUES (2)) -- end')}`;
  const { queries, checks } = parseValid(text(verify, '- db documents rows=1\n- db two_2 has column1 equals 2'));
  t.same(
    queries.map(({ name }) => name),
    ['documents', 'two_2'],
  );
  t.match(checks[1]?.check, { kind: 'database_has', query: 'two_2', column: 'column1' });
});

t.test('a query has its position', async (t) => {
  const source = text(fence('sql', 'SELECT 1\nFROM a'));
  const [query] = parseValid(source).queries;
  t.equal(source.slice(query?.range.start.offset, query?.range.end.offset), fence('sql', 'SELECT 1\nFROM a'));
});

t.test('a trailing semicolon is removed, with the text after it', async (t) => {
  const [query] = parseValid(text(fence('sql', '\nSELECT ${body.a}\n ; -- done\n'))).queries;
  t.equal(written(query?.sql), '\nSELECT ${body.a}');
});

t.test('positions of errors are correct, also in indented fences and after CR LF', async (t) => {
  const source = text("  ```sql\n  SELECT 1\n    FROM a WHERE b = '${correlation_id}'\n  ```").replaceAll('\n', '\r\n');
  t.same(listDiagnostics(source), [['SCENARIO_QUERY_PLACEHOLDER_QUOTED', '${correlation_id}']]);
  const cut = text(fence('sql', 'SELECT 1 ;\n\nDELETE FROM a'));
  t.same(listDiagnostics(cut), [['SCENARIO_QUERY_SEVERAL', 'DELETE']]);
});

t.test('a placeholder outside of code is reported', async (t) => {
  for (const sql of [
    "SELECT E'\\'${correlation_id}'",
    "SELECT 'a'\n'${correlation_id}'",
    'SELECT $x$ $$ ${correlation_id} $x$',
    'SELECT /* /* */ ${correlation_id} */ 1',
    'SELECT U&"${correlation_id}"',
  ]) {
    t.same(codes(text(fence('sql', sql))), ['SCENARIO_QUERY_PLACEHOLDER_QUOTED'], sql);
  }
});

t.test('a value of the response is allowed only in a query', async (t) => {
  t.same(codes(text(fence('sql', 'SELECT ${body.data[0].id}, ${body["a key"]}'))), []);
  const trigger = 'GET ${INGESTION_URL}/a?b=${body.id}\nX-Request-Id: ${correlation_id}';
  t.same(codes(buildScenarioText({ trigger })), ['SCENARIO_PLACEHOLDER_UNKNOWN']);
  t.same(codes(text(fence('sql', 'SELECT ${body}'))), ['SCENARIO_PLACEHOLDER_UNKNOWN']);
});

t.test('at most twenty queries are allowed', async (t) => {
  const many = (count: number): string => {
    const names = Array.from({ length: count }, (_, index) => `q${index}`);
    const queries = names.map((name) => fence(`sql ${name}`, 'SELECT 1')).join('\n\n');
    return text(queries, names.map((name) => `- db ${name} rows=1`).join('\n'));
  };
  t.equal(parseValid(many(20)).queries.length, 20);
  t.same(codes(many(21)), ['SCENARIO_QUERIES_TOO_MANY']);
});

t.test('an error is reported once', async (t) => {
  t.same(codes(text(fence('sql', 'DELETE FROM a'))), ['SCENARIO_QUERY_NOT_READING']);
  t.same(codes(text(fence('sql', 'SELECT 1'), '- db rows=x')), ['SCENARIO_CHECK_UNKNOWN']);
  const unknown = buildScenarioText({ metadata: metadata('FTP'), checks: '- db rows=1\n- body has a > 1' });
  t.same(codes(unknown), ['SCENARIO_LAYER_UNKNOWN']);
});

t.test('numbers are compared in every layer except HTTP Ingestion', async (t) => {
  for (const layer of ['HTTP Ingestion + Log', 'http  ingestion+log+DATABASE', 'HTTP Ingestion + Database']) {
    const { diagnostics } = read(buildScenarioText({ metadata: metadata(layer), checks: '- body has a > 1' }));
    t.same(diagnostics, [], layer);
  }
  t.same(codes(buildScenarioText({ checks: '- body has a > 1' })), ['SCENARIO_CHECK_COMPARISON']);
});

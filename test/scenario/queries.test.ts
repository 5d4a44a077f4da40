import t from 'tap';
import { codes, read, scenarioOf, textOf, told, written } from './samples.ts';

const metadata = (layer: string): string => `- ID: RT-1\n- Layer: ${layer}`;
const database = metadata('HTTP Ingestion + Database');
const fence = (info: string, sql: string): string => `\`\`\`${info}\n${sql}\n\`\`\``;

function text(verify: string, checks = '- db rows=1'): string {
  return textOf({ metadata: database, checks, more: `## VERIFY\n\n${verify}` });
}

t.test('a fence of VERIFY that begins with sql is a query, and nothing else there is', async (t) => {
  const verify = `Prose; SELECT 0.\n\n${fence('', 'SELECT 2')}\n\n${fence('sql', 'SELECT 1;')}\n\n<!--\n${fence('sql', 'SELECT 3')}\n-->`;
  const { queries, checks } = scenarioOf(text(verify));
  t.same(
    queries.map(({ name, sql }) => [name, written(sql)]),
    [['query', 'SELECT 1']],
  );
  t.match(checks[0]?.check, { kind: 'database_rows', query: 'query' });
});

t.test('several queries have names, and checks name theirs', async (t) => {
  const verify = `${fence('sql documents', 'SELECT 1')}\n\n${fence('SQL   two_2', '(VALUES (2)) -- end')}`;
  const { queries, checks } = scenarioOf(text(verify, '- db documents rows=1\n- db two_2 has column1 equals 2'));
  t.same(
    queries.map(({ name }) => name),
    ['documents', 'two_2'],
  );
  t.match(checks[1]?.check, { kind: 'database_has', query: 'two_2', column: 'column1' });
});

t.test('a query knows its place', async (t) => {
  const source = text(fence('sql', 'SELECT 1\nFROM a'));
  const [query] = scenarioOf(source).queries;
  t.equal(source.slice(query?.range.start.offset, query?.range.end.offset), fence('sql', 'SELECT 1\nFROM a'));
});

t.test('a trailing semicolon is left out, with what follows it', async (t) => {
  const [query] = scenarioOf(text(fence('sql', '\nSELECT ${body.a}\n ; -- done\n'))).queries;
  t.equal(written(query?.sql), '\nSELECT ${body.a}');
});

t.test('places of mistakes are right, in indented fences and behind wide line endings too', async (t) => {
  const source = text("  ```sql\n  SELECT 1\n    FROM a WHERE b = '${correlation_id}'\n  ```").replaceAll('\n', '\r\n');
  t.same(told(source), [['SCENARIO_QUERY_PLACEHOLDER_QUOTED', '${correlation_id}']]);
  const cut = text(fence('sql', 'SELECT 1 ;\n\nDELETE FROM a'));
  t.same(told(cut), [['SCENARIO_QUERY_SEVERAL', 'DELETE']]);
});

t.test('a placeholder cannot hide in what is no code', async (t) => {
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

t.test('a value of the response can stand in a query only', async (t) => {
  t.same(codes(text(fence('sql', 'SELECT ${body.data[0].id}, ${body["a key"]}'))), []);
  const trigger = 'GET ${INGESTION_URL}/a?b=${body.id}\nX-Request-Id: ${correlation_id}';
  t.same(codes(textOf({ trigger })), ['SCENARIO_PLACEHOLDER_UNKNOWN']);
  t.same(codes(text(fence('sql', 'SELECT ${body}'))), ['SCENARIO_PLACEHOLDER_UNKNOWN']);
});

t.test('there may be twenty queries', async (t) => {
  const many = (count: number): string => {
    const names = Array.from({ length: count }, (_, index) => `q${index}`);
    const queries = names.map((name) => fence(`sql ${name}`, 'SELECT 1')).join('\n\n');
    return text(queries, names.map((name) => `- db ${name} rows=1`).join('\n'));
  };
  t.equal(scenarioOf(many(20)).queries.length, 20);
  t.same(codes(many(21)), ['SCENARIO_QUERIES_TOO_MANY']);
});

t.test('a mistake is told once', async (t) => {
  t.same(codes(text(fence('sql', 'DELETE FROM a'))), ['SCENARIO_QUERY_NOT_READING']);
  t.same(codes(text(fence('sql', 'SELECT 1'), '- db rows=x')), ['SCENARIO_CHECK_UNKNOWN']);
  const unknown = textOf({ metadata: metadata('FTP'), checks: '- db rows=1\n- body has a > 1' });
  t.same(codes(unknown), ['SCENARIO_LAYER_UNKNOWN']);
});

t.test('numbers are compared in every layer but the plain one', async (t) => {
  for (const layer of ['HTTP Ingestion + Log', 'http  ingestion+log+DATABASE', 'HTTP Ingestion + Database']) {
    const { diagnostics } = read(textOf({ metadata: metadata(layer), checks: '- body has a > 1' }));
    t.same(diagnostics, [], layer);
  }
  t.same(codes(textOf({ checks: '- body has a > 1' })), ['SCENARIO_CHECK_COMPARISON']);
});

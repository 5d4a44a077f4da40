import t from 'tap';
import { callableFunctions } from '../../../../src/executor/database/guard/callable.ts';
import {
  emptyQueryCatalogue,
  extractNames,
  guardQuery,
  type QueryCatalogue,
} from '../../../../src/executor/database/guard/guard-query.ts';
import { attacks, harmless } from './attacks.ts';

const facts: QueryCatalogue = {
  schemas: new Set(['vault', 'audit']),
  functions: new Set(['reveal', 'initcap', 'total', 'select']),
  rowFunctions: new Set(['total']),
  tablesWithHiddenRows: new Set(),
};

t.test('every attack is refused, with the offending token and a fix', async (t) => {
  for (const { sql, code, word, needsFacts } of attacks) {
    const refusal = guardQuery(sql, facts);
    t.equal(refusal?.error.code, code, sql);
    t.ok(refusal?.error.message.includes(word), `${sql} → ${refusal?.error.message}`);
    t.not(refusal?.error.cure, '');
    t.ok(refusal !== undefined && refusal.offset >= 0 && refusal.offset < Math.max(1, sql.length));
    t.equal(guardQuery(sql, emptyQueryCatalogue) === undefined, needsFacts === true, `without facts: ${sql}`);
  }
  t.ok(attacks.length >= 40, `${attacks.length} attacks`);
});

t.test('queries that only read application data are allowed', async (t) => {
  for (const sql of harmless) t.equal(guardQuery(sql)?.error.message, undefined, sql);
  t.ok(harmless.length >= 40, `${harmless.length} queries`);
});

t.test('the offset is that of the offending token', async (t) => {
  const sql = 'SELECT 1,\n  pg_sleep(9)';
  t.equal(guardQuery(sql)?.offset, sql.indexOf('pg_sleep'));
});

t.test('a misspelled function gets a suggestion', async (t) => {
  t.match(guardQuery('SELECT cout(*) FROM orders')?.error.cure, /^did you mean `count`\? /);
});

t.test('the names of a query are extracted as the server folds them', async (t) => {
  t.same(extractNames('SELECT O."Total", o.X -- pg_sleep\n FROM orders o'), [
    'select',
    'o',
    'Total',
    'x',
    'from',
    'orders',
  ]);
  t.same(extractNames("SELECT 'open"), []);
});

t.test('the list of functions contains none that modify, wait or reveal facts about the server', async (t) => {
  const forbidden =
    /^(pg_|lo_|dblink|txid|set_|current_|inet_|has_|to_reg|query_to|table_to|cursor_to|schema_to|database_to|ts_stat|ts_rewrite|xml|xpath|nextval|currval|lastval|setval|version$|repeat$|col_description|obj_description|format_type|random)/;
  t.same(
    callableFunctions.filter((name) => forbidden.test(name)),
    [],
  );
});

// In quadratic time the file would time out.
t.test('a query of any length and depth is checked', async (t) => {
  const deep = `SELECT ${'('.repeat(9_000)}1${')'.repeat(9_000)}`;
  const lists = `SELECT 1 FROM a${', b(x) AS (y)'.repeat(1_500)}`;
  t.equal(guardQuery(deep), undefined);
  t.ok(guardQuery(lists));
  t.ok(guardQuery('x'.repeat(10_000_000)));
});

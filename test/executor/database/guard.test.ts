import t from 'tap';
import { callableFunctions } from '../../../src/executor/database/callable.ts';
import { type GuardFacts, guardQuery, namesOf, noFacts } from '../../../src/executor/database/guard.ts';
import { attacks, harmless } from './attacks.ts';

const facts: GuardFacts = {
  schemas: new Set(['vault', 'audit']),
  functions: new Set(['reveal', 'initcap', 'total', 'select']),
  rowFunctions: new Set(['total']),
};

t.test('every attack is refused, with the word at fault and a cure', async (t) => {
  for (const { sql, code, word, needsFacts } of attacks) {
    const refused = guardQuery(sql, facts);
    t.equal(refused?.words.code, code, sql);
    t.ok(refused?.words.message.includes(word), `${sql} → ${refused?.words.message}`);
    t.not(refused?.words.cure, '');
    t.ok(refused !== undefined && refused.at >= 0 && refused.at < Math.max(1, sql.length));
    t.equal(guardQuery(sql, noFacts) === undefined, needsFacts === true, `without facts: ${sql}`);
  }
  t.ok(attacks.length >= 40, `${attacks.length} attacks`);
});

t.test('queries that only look at data of the application pass', async (t) => {
  for (const sql of harmless) t.equal(guardQuery(sql)?.words.message, undefined, sql);
  t.ok(harmless.length >= 40, `${harmless.length} queries`);
});

t.test('the offset is that of the word', async (t) => {
  const sql = 'SELECT 1,\n  pg_sleep(9)';
  t.equal(guardQuery(sql)?.at, sql.indexOf('pg_sleep'));
});

t.test('a function with a slip of the pen is told its name', async (t) => {
  t.match(guardQuery('SELECT cout(*) FROM orders')?.words.cure, /^did you mean `count`\? /);
});

t.test('what a query names is asked of the database, as it will read it', async (t) => {
  t.same(namesOf('SELECT O."Total", o.X -- pg_sleep\n FROM orders o'), ['select', 'o', 'Total', 'x', 'from', 'orders']);
  t.same(namesOf("SELECT 'open"), []);
});

t.test('nothing in the list of functions is known to act, to wait or to tell of the server', async (t) => {
  const forbidden =
    /^(pg_|lo_|dblink|txid|set_|current_|inet_|has_|to_reg|query_to|table_to|cursor_to|schema_to|database_to|ts_stat|ts_rewrite|xml|xpath|nextval|currval|lastval|setval|version$|repeat$|col_description|obj_description|format_type|random)/;
  t.same(
    callableFunctions.filter((name) => forbidden.test(name)),
    [],
  );
});

t.test('a query of any length and depth is looked at in linear time', async (t) => {
  const deep = `SELECT ${'('.repeat(9_000)}1${')'.repeat(9_000)}`;
  const lists = `SELECT 1 FROM a${', b(x) AS (y)'.repeat(1_500)}`;
  const started = performance.now();
  t.equal(guardQuery(deep), undefined);
  t.ok(guardQuery(lists));
  t.ok(guardQuery('x'.repeat(10_000_000)));
  t.ok(performance.now() - started < 5_000);
});

import t from 'tap';
import { readStatement } from '../../src/scenario/sql-statement.ts';

function verdict(sql: string): string {
  const read = readStatement(sql);
  return 'sql' in read ? read.sql : `${read.kind} ${sql.slice(read.start, read.end)}`;
}

t.test('one read-only statement is accepted without its semicolon', async (t) => {
  t.equal(verdict('select 1'), 'select 1');
  t.equal(verdict('-- why\n(SELECT 1) UNION (SELECT 2) ; -- end\n'), '-- why\n(SELECT 1) UNION (SELECT 2)');
  t.equal(verdict(`VALUES (';')`), `VALUES (';')`);
  t.equal(verdict('table a'), 'table a');
  t.equal(verdict('WITH a AS (SELECT 1) SELECT * FROM a'), 'WITH a AS (SELECT 1) SELECT * FROM a');
});

t.test('a second statement is always found', async (t) => {
  t.equal(verdict('SELECT 1; DELETE FROM a'), 'several DELETE');
  t.equal(verdict('SELECT 1 /* ; */ ; ;'), 'several ;');
  t.equal(verdict(`SELECT '\\'; DROP TABLE a; --'`), 'several DROP');
  t.equal(verdict(`SELECT $a$ ; $a$; commit`), 'several commit');
});

t.test('a statement that is not read-only is reported with its first word', async (t) => {
  t.equal(verdict('DELETE FROM a'), 'not_reading DELETE');
  t.equal(verdict('/* SELECT */ update a set b = 1'), 'not_reading update');
  t.equal(verdict('"select" 1'), 'not_reading "select"');
  t.equal(verdict('${x}'), 'not_reading ${x}');
});

t.test('a text without a statement is empty', async (t) => {
  for (const sql of ['', ' \n', '-- only a comment', ';', '/* a */ ; ', '(']) t.match(verdict(sql), /^empty/, sql);
});

t.test('an unclosed quote or comment is reported at its position', async (t) => {
  t.equal(verdict(`SELECT 'a; SELECT 2`), `unclosed '`);
  t.equal(verdict('SELECT 1 /* x'), 'unclosed /');
});

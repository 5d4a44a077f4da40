/**
 * What somebody may try to learn or do through a query, and what must pass. Used against the guard alone, and against a
 * real server with the guard switched off, to see that it is needed.
 * Length: a table.
 */
import type { ErrorCode } from '../../../../src/errors/table.ts';

/** A query that must be refused, and the word that the refusal names. */
export type Attack = {
  readonly sql: string;
  readonly code: ErrorCode;
  readonly word: string;
  /** Only what the database says of the names shows it. */
  readonly needsFacts?: true;
  /** A server answers it, at least to a superuser: only the guard keeps it away. */
  readonly leaks?: true;
};

function system(sql: string, word: string): Attack {
  return { sql, word, code: 'DATABASE_QUERY_SYSTEM' };
}

function call(sql: string, word: string): Attack {
  return { sql, word, code: 'DATABASE_QUERY_FUNCTION' };
}

function leaking(attack: Attack): Attack {
  return { ...attack, leaks: true };
}

const catalogues: readonly Attack[] = [
  leaking(system('SELECT usename FROM pg_user', 'pg_user')),
  leaking(system('SELECT rolname FROM pg_catalog.pg_roles', 'pg_catalog')),
  leaking(system('TABLE pg_settings', 'pg_settings')),
  leaking(system('SELECT rolpassword FROM pg_authid', 'pg_authid')),
  leaking(system('SELECT rolpassword FROM PG_AuthID', 'PG_AuthID')),
  leaking(system('SELECT rolpassword FROM "pg_authid"', '"pg_authid"')),
  leaking(system('SELECT rolpassword FROM docs.pg_catalog."pg_authid"', 'pg_catalog')),
  leaking(system('SELECT query FROM/**/pg_stat_activity', 'pg_stat_activity')),
  leaking(system('SELECT query FROM pg_stat_activity -- orders', 'pg_stat_activity')),
  leaking(system('SELECT 1 FROM orders, LATERAL (SELECT * FROM pg_class) c', 'pg_class')),
  leaking(system('SELECT (SELECT string_agg(name, $$,$$) FROM pg_settings)', 'pg_settings')),
  leaking(system('WITH orders AS (TABLE pg_authid) SELECT * FROM orders', 'pg_authid')),
  leaking(system('SELECT state FROM orders UNION SELECT rolpassword FROM pg_authid', 'pg_authid')),
  leaking(system('SELECT * FROM information_schema.tables', 'information_schema')),
  leaking(system('SELECT * FROM "information_schema" . "columns"', '"information_schema"')),
  leaking(system('SELECT p FROM pg_proc p', 'pg_proc')),
  system('SELECT * FROM pg_hba_file_rules', 'pg_hba_file_rules'),
  system('SELECT * FROM public.pg_stat_statements', 'pg_stat_statements'),
  leaking(system(`SELECT 'pg_authid'::regclass::oid`, 'regclass')),
  leaking(system(`SELECT CAST('app' AS regrole)`, 'regrole')),
  leaking(system(`SELECT regnamespace 'public'`, 'regnamespace')),
  leaking(system('SELECT 10::"regrole"', '"regrole"')),
  leaking(system('SELECT current_user', 'current_user')),
  leaking(system('SELECT SESSION_USER::text', 'SESSION_USER')),
];

const hidden: readonly Attack[] = [
  {
    sql: 'SELECT rolpassword FROM U&"pg\\005fauthid"',
    code: 'DATABASE_QUERY_UNREADABLE',
    word: 'U&"pg\\005fauthid"',
    leaks: true,
  },
  {
    sql: `SELECT rolpassword FROM u&"pg!005fauthid" UESCAPE '!'`,
    code: 'DATABASE_QUERY_UNREADABLE',
    word: 'u&"pg!005fauthid"',
    leaks: true,
  },
  leaking(system(`SELECT 'it\\', rolpassword FROM pg_authid -- '`, 'pg_authid')),
  leaking(system(`SELECT E'it\\'s', rolpassword FROM pg_authid WHERE 'x' <> '--'`, 'pg_authid')),
  leaking(system(`SELECT E'a'\n'\\'', rolpassword FROM pg_authid`, 'pg_authid')),
  leaking(system('SELECT $a$ $b$ $a$, rolpassword FROM pg_authid --$a$', 'pg_authid')),
  leaking(system('SELECT /* /* */ 1 FROM orders */ rolpassword FROM pg_authid', 'pg_authid')),
  leaking(system('SELECT 1 --\r, rolpassword FROM pg_authid', 'pg_authid')),
  system(`SELECT B'1''0', rolpassword FROM pg_authid`, 'pg_authid'),
  leaking(system('SELECT 1*/**/1, rolpassword FROM pg_authid', 'pg_authid')),
  { sql: `SELECT 'a\0', 1`, code: 'DATABASE_QUERY_UNREADABLE', word: 'control character' },
  { sql: `SELECT 'open`, code: 'DATABASE_QUERY_UNREADABLE', word: 'never closed' },
  { sql: 'SELECT 1 /* /* */', code: 'DATABASE_QUERY_UNREADABLE', word: 'never closed' },
  { sql: 'SELECT 1_000', code: 'DATABASE_QUERY_UNREADABLE', word: '1_000' },
  { sql: `SELECT 0x1F`, code: 'DATABASE_QUERY_UNREADABLE', word: '0x1F' },
  { sql: `SELECT ${'a'.repeat(64)} FROM orders`, code: 'DATABASE_QUERY_UNREADABLE', word: 'longer' },
  { sql: `SELECT '${'a'.repeat(20_000)}'`, code: 'DATABASE_QUERY_UNREADABLE', word: 'longer' },
  { sql: `SELECT \${TOKEN}`, code: 'DATABASE_QUERY_UNREADABLE', word: 'TOKEN' },
  { sql: ' -- nothing', code: 'DATABASE_QUERY_UNREADABLE', word: 'empty' },
];

const functions: readonly Attack[] = [
  system('SELECT pg_sleep(3600)', 'pg_sleep'),
  system('SELECT pg_sleep/* wait */(3600)', 'pg_sleep'),
  system('SELECT "pg_sleep" (3600)', '"pg_sleep"'),
  system('SELECT pg_catalog.pg_sleep(3600)', 'pg_catalog'),
  system('SELECT x.pg_sleep(3600) FROM orders x', 'pg_sleep'),
  leaking(system('SELECT pg_catalog.lower(version())', 'pg_catalog')),
  leaking(system(`SELECT pg_read_file('/etc/passwd')`, 'pg_read_file')),
  leaking(system(`SELECT * FROM pg_ls_dir('.')`, 'pg_ls_dir')),
  leaking(system('SELECT pg_advisory_lock(1)', 'pg_advisory_lock')),
  leaking(system(`SELECT pg_notify('orders', 'x')`, 'pg_notify')),
  leaking(call(`SELECT current_setting('data_directory')`, 'current_setting')),
  leaking(call(`SELECT "current_setting"('data_directory')`, '"current_setting"')),
  leaking(call("SELECT current_setting -- (\n('data_directory')", 'current_setting')),
  leaking(call(`SELECT set_config('search_path', 'vault', false)`, 'set_config')),
  leaking(call(`SELECT query_to_xml('TABLE pg_authid', true, false, '')`, 'query_to_xml')),
  leaking(call(`SELECT schema_to_xml('vault', true, false, '')`, 'schema_to_xml')),
  leaking(call(`SELECT table_to_xml(1260::oid, true, false, '')`, 'table_to_xml')),
  call(`SELECT * FROM ts_stat('SELECT to_tsvector(rolpassword) FROM pg_authid')`, 'ts_stat'),
  call(`SELECT ts_rewrite('a'::tsquery, 'SELECT q, q FROM queries')`, 'ts_rewrite'),
  call(`SELECT * FROM dblink('host=other', 'SELECT 1') AS t(a int)`, 'dblink'),
  call(`SELECT * FROM crosstab('TABLE pg_authid') AS t(a text)`, 'crosstab'),
  call(`SELECT nextval('orders_id_seq')`, 'nextval'),
  call(`SELECT lo_import('/etc/passwd')`, 'lo_import'),
  call('SELECT lo_get(1)', 'lo_get'),
  leaking(call('SELECT txid_current()', 'txid_current')),
  leaking(call('SELECT version()', 'version')),
  leaking(call('SELECT inet_server_addr()', 'inet_server_addr')),
  leaking(call(`SELECT has_table_privilege('vault.secrets', 'SELECT')`, 'has_table_privilege')),
  leaking(call(`SELECT to_regclass('vault.secrets')::oid`, 'to_regclass')),
  leaking(call(`SELECT length(repeat('x', 100000000))`, 'repeat')),
  leaking(call('SELECT 1 OPERATOR(pg_catalog.+) 1', 'OPERATOR')),
  leaking(call('SELECT reveal()', 'reveal')),
  leaking(call('SELECT public.reveal()', 'reveal')),
  leaking(call('SELECT * FROM orders, reveal() AS x', 'reveal')),
  leaking(call('SELECT * FROM ROWS FROM (reveal()) AS x', 'reveal')),
  call('SELECT * FROM orders, reveal(1) AS (a text)', 'reveal'),
  call('SELECT * FROM orders, reveal(1) AS (values text)', 'reveal'),
  leaking(call('WITH a AS (SELECT 1) SELECT reveal() FROM a', 'reveal')),
  { ...leaking(call(`SELECT initcap(o) FROM orders o`, 'initcap')), needsFacts: true },
  { ...leaking(call('SELECT o.total FROM orders o', 'total')), needsFacts: true },
  { ...leaking(call('SELECT (o).total FROM orders o', 'total')), needsFacts: true },
];

const schemas: readonly Attack[] = [
  { sql: 'SELECT * FROM vault.secrets', word: 'vault', code: 'DATABASE_QUERY_SCHEMA', needsFacts: true, leaks: true },
  { sql: 'TABLE "vault" . secrets', word: '"vault"', code: 'DATABASE_QUERY_SCHEMA', needsFacts: true, leaks: true },
  {
    sql: 'SELECT * FROM docs.vault.secrets',
    word: 'vault',
    code: 'DATABASE_QUERY_SCHEMA',
    needsFacts: true,
    leaks: true,
  },
  {
    sql: 'SELECT * FROM orders vault, vault.secrets',
    word: 'vault',
    code: 'DATABASE_QUERY_SCHEMA',
    needsFacts: true,
    leaks: true,
  },
];

function writing(sql: string, word: string): Attack {
  return { sql, word, code: 'DATABASE_QUERY_WRITES' };
}

const writes: readonly Attack[] = [
  writing(`WITH x AS (INSERT INTO orders VALUES (9) RETURNING id) SELECT * FROM x`, 'INSERT'),
  writing(`WITH x AS (update orders SET state = 'x' RETURNING id) SELECT * FROM x`, 'UPDATE'),
  writing('WITH x AS MATERIALIZED (DELETE FROM orders RETURNING id) SELECT * FROM x', 'DELETE'),
  writing('WITH x AS (WITH y AS (SELECT 1) DELETE FROM orders) SELECT 1', 'DELETE'),
  writing('WITH x AS (MERGE INTO orders USING orders o ON true WHEN MATCHED THEN DELETE) SELECT 1', 'MERGE'),
  writing('SELECT * INTO copied FROM orders', 'INTO'),
  writing('SELECT * FROM orders FOR UPDATE', 'UPDATE'),
  writing('SELECT * FROM orders FOR NO KEY UPDATE', 'FOR'),
  writing('SELECT * FROM (SELECT * FROM orders FOR SHARE) o', 'FOR'),
  writing('SELECT * FROM orders FOR KEY SHARE', 'FOR'),
  { sql: 'DELETE FROM orders', word: 'DELETE', code: 'DATABASE_QUERY_NOT_READING' },
  { sql: `COPY orders TO PROGRAM 'sh'`, word: 'COPY', code: 'DATABASE_QUERY_NOT_READING' },
  { sql: `COPY (SELECT 1) TO STDOUT`, word: 'COPY', code: 'DATABASE_QUERY_NOT_READING' },
  { sql: 'DO $$ BEGIN PERFORM 1; END $$', word: 'DO', code: 'DATABASE_QUERY_NOT_READING' },
  { sql: 'EXPLAIN ANALYZE DELETE FROM orders', word: 'EXPLAIN', code: 'DATABASE_QUERY_NOT_READING' },
  { sql: 'SHOW data_directory', word: 'SHOW', code: 'DATABASE_QUERY_NOT_READING', leaks: true },
  { sql: 'SET TRANSACTION READ WRITE', word: 'SET', code: 'DATABASE_QUERY_NOT_READING', leaks: true },
  { sql: 'COMMIT', word: 'COMMIT', code: 'DATABASE_QUERY_NOT_READING', leaks: true },
  { sql: `CALL reveal()`, word: 'CALL', code: 'DATABASE_QUERY_NOT_READING' },
  { sql: 'SELECT 1; DELETE FROM orders', word: 'DELETE', code: 'DATABASE_QUERY_SEVERAL' },
  { sql: 'SELECT 1;;', word: ';', code: 'DATABASE_QUERY_SEVERAL' },
  { sql: 'SELECT 1 /* ; */ ; COMMIT', word: 'COMMIT', code: 'DATABASE_QUERY_SEVERAL' },
  { sql: `SELECT 'a'';' ; COMMIT`, word: 'COMMIT', code: 'DATABASE_QUERY_SEVERAL' },
];

/** All of them. */
export const attacks: readonly Attack[] = [...catalogues, ...hidden, ...functions, ...schemas, ...writes];

/** Queries over `orders (id, state, total_cents, data jsonb, created_at, tags text[], "user" text)` and `items (order_id, name)`. */
export const harmless: readonly string[] = [
  'SELECT * FROM orders',
  'TABLE orders',
  'VALUES (1), (2)',
  'SELECT id FROM public.orders;',
  'select o.id, i.name from orders o join items i on (i.order_id = o.id)',
  'SELECT * FROM orders LEFT JOIN items ON items.order_id = orders.id WHERE items.order_id IS NULL',
  'SELECT * FROM items i JOIN items j USING (order_id)',
  'WITH a AS (SELECT id FROM orders) SELECT * FROM a',
  'WITH a(x) AS (SELECT 1), b(y) AS (SELECT 2) SELECT x, y FROM a, b',
  'WITH a(x) AS MATERIALIZED (SELECT 1), b(y) AS NOT MATERIALIZED (WITH c AS (SELECT 2) TABLE c) SELECT x, y FROM a, b',
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n',
  'SELECT row_number() OVER (PARTITION BY state ORDER BY id), lag(id, 1) OVER w FROM orders WINDOW w AS (ORDER BY id)',
  `SELECT count(*), count(*) FILTER (WHERE state = 'sent'), count(DISTINCT state) FROM orders`,
  'SELECT state, sum(total_cents), min(id), max(id), avg(total_cents) FROM orders GROUP BY state HAVING count(*) > 0',
  'SELECT state, count(*) FROM orders GROUP BY ROLLUP (state)',
  'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total_cents) FROM orders',
  'SELECT coalesce(state, $1), nullif(state, $2), greatest(id, 1), least(id, 1) FROM orders',
  `SELECT date_trunc('day', created_at), now() - interval '1 day', extract(year FROM created_at) FROM orders`,
  `SELECT created_at AT TIME ZONE 'UTC', age(now(), created_at), to_char(created_at, 'YYYY') FROM orders`,
  `SELECT * FROM orders WHERE created_at > now() - interval '1 hour' AND state IN ('a', 'b')`,
  'SELECT lower(state), upper(state), length(state), trim(state), substring(state from 1 for 2), left(state, 3) FROM orders',
  `SELECT state || '-' || id::text, position('a' in state), replace(state, 'a', 'b'), concat(id, state) FROM orders`,
  `SELECT * FROM orders WHERE state ~ '^s' AND state !~* 'x$' AND state LIKE 's%' AND state NOT ILIKE 'x%'`,
  `SELECT data ->> 'a', data #>> '{a,b}', data -> 'list' -> 0 FROM orders WHERE data @> '{"a": 1}' AND data ? 'a'`,
  `SELECT jsonb_array_length(data -> 'list'), jsonb_typeof(data) FROM orders WHERE jsonb_path_exists(data, '$.list[*] ? (@ > 1)')`,
  `SELECT e FROM orders, jsonb_array_elements(data -> 'list') AS e`,
  `SELECT x.a FROM orders, jsonb_to_record(data) AS x(a numeric, b text)`,
  `SELECT jsonb_build_object('id', id), to_jsonb(o), jsonb_agg(o.state) OVER () FROM orders o`,
  'SELECT id::int8, CAST(id AS text), total_cents::numeric(10, 2), state::varchar(3), id::double precision FROM orders',
  'SELECT CASE WHEN id > 1 THEN (id) ELSE (0) END FROM orders',
  'SELECT * FROM orders WHERE id = ANY (ARRAY[1, 2]) AND (id, state) = (1, $1) AND NOT (id IS DISTINCT FROM 1)',
  'SELECT * FROM orders WHERE EXISTS (SELECT 1 FROM items WHERE order_id = orders.id)',
  'SELECT * FROM orders WHERE id = (SELECT max(id) FROM orders)',
  'SELECT ARRAY(SELECT id FROM orders), unnest(tags), array_length(tags, 1), cardinality(tags), tags[1] FROM orders',
  'SELECT t.tag, t.n FROM orders, unnest(tags) WITH ORDINALITY AS t(tag, n)',
  'SELECT * FROM generate_series(1, 3) AS g(i)',
  'SELECT (o).id, o FROM orders o ORDER BY o.id DESC NULLS LAST LIMIT 1 OFFSET 0',
  'SELECT "user", o."user", 1 AS user FROM orders o',
  'SELECT DISTINCT ON (state) state FROM orders ORDER BY state, id',
  'SELECT id FROM orders UNION (SELECT order_id FROM items) EXCEPT (VALUES (9)) INTERSECT SELECT 1',
  '(SELECT 1)',
  `SELECT 'pg_sleep(1); DROP TABLE x' AS "text", E'\\'pg_authid', $$pg_authid; --$$, U&'\\0061' -- pg_authid`,
  '/* pg_sleep(1); /* nested */ */ SELECT 1',
  `SELECT 1e3, .5, 1.5E-3, -1, B'101', X'1F', N'x', $1::text`,
  `SELECT string_agg(name, ', ' ORDER BY name) FROM items`,
  `SELECT md5(state), encode(sha256(state::bytea), 'hex') FROM orders`,
  'SELECT o.id FROM orders AS o(id, state) WHERE o.id BETWEEN (1) AND (9)',
  `SELECT COUNT(*) FROM "orders" WHERE "state" COLLATE "C" > 'a'`,
  `SELECT regexp_replace(state, 'a', 'b'), split_part(state, '-', 1) FROM orders`,
  'SELECT xmin::text, ctid FROM orders',
];

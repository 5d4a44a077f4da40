/** Tables with row-level security on a real server: what a user cannot see must not look like what is not there. */
import t, { type Test } from 'tap';
import { listGrantWarnings } from '../../../src/executor/evidence/evidence-sources.ts';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';
import { createDatabaseTarget, createQuery, openTestDatabase } from './test-database.ts';

const reader = `row_reader_${process.pid}`;

/** Two rows of the table `document` of two tenants, a table without row security, and views. */
async function openDocuments(t: Test, policy: string) {
  const database = await createTestDatabase(t);
  await database.query(`
    CREATE ROLE ${reader} LOGIN PASSWORD 'reader-password';
    CREATE TABLE document (id int, tenant text);
    INSERT INTO document VALUES (1, 'a'), (2, 'b');
    CREATE TABLE tag (id int);
    INSERT INTO tag VALUES (1);
    CREATE VIEW every_document AS SELECT * FROM document;
    CREATE VIEW own_document WITH (security_invoker = true) AS SELECT * FROM document;
    ALTER TABLE document ENABLE ROW LEVEL SECURITY;
    ${policy}
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${reader}`);
  t.teardown(() => database.query(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`));
  const target = createDatabaseTarget(database.server.port, { database: database.name, username: reader });
  return openTestDatabase(t, target);
}

const hidden = {
  kind: 'unavailable',
  isFinal: true,
  problem: /^row-level security may hide rows of `document` from the database user row_reader_/,
  cure: /CREATE POLICY vp_reads_all ON document FOR SELECT TO row_reader_\d+ USING \(true\)/,
};

t.test('rows that row security may hide are not counted as absent', { skip: skipWithoutPostgres }, async (t) => {
  const database = await openDocuments(
    t,
    `CREATE POLICY tenant ON document USING (tenant = current_setting('app.tenant', true));`,
  );
  for (const sql of [
    'SELECT * FROM document WHERE id = 1',
    'SELECT count(*) AS n FROM "document"',
    'SELECT * FROM tag WHERE NOT EXISTS (SELECT FROM document WHERE id = 1)',
    'SELECT * FROM own_document',
  ])
    t.match(await database.query(createQuery(sql)), hidden, sql);
  t.match(await database.query(createQuery('SELECT * FROM tag')), { kind: 'rows', rowCount: 1 });
  t.match(
    await database.query(createQuery('SELECT * FROM every_document')),
    { kind: 'rows', rowCount: 2 },
    'a view reads with the rights of its owner',
  );
  t.match(await listGrantWarnings(database, reader), [
    { code: 'EVIDENCE_DATABASE_HIDDEN', message: /: document$/, cure: /CREATE POLICY vp_reads_all ON document/ },
  ]);
});

t.test('a policy that gives the user every row lets queries be judged', { skip: skipWithoutPostgres }, async (t) => {
  const database = await openDocuments(
    t,
    `CREATE POLICY tenant ON document USING (tenant = current_setting('app.tenant', true));
     CREATE POLICY vp_reads_all ON document FOR SELECT TO ${reader} USING (true);`,
  );
  for (const table of ['document', 'own_document', 'every_document'])
    t.match(await database.query(createQuery(`SELECT * FROM ${table}`)), { kind: 'rows', rowCount: 2 }, table);
  t.same(await listGrantWarnings(database, reader), []);
});

t.test('a restrictive policy may hide rows all the same', { skip: skipWithoutPostgres }, async (t) => {
  const database = await openDocuments(
    t,
    `CREATE POLICY everyone ON document USING (true);
     CREATE POLICY one_tenant ON document AS RESTRICTIVE USING (tenant = 'a');`,
  );
  t.match(await database.query(createQuery('SELECT * FROM document')), hidden);
});

t.test('without any policy every row is hidden', { skip: skipWithoutPostgres }, async (t) => {
  t.match(await (await openDocuments(t, '')).query(createQuery('SELECT * FROM document')), hidden);
});

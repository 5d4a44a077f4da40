/** What `vp doctor` says about a database. */
import { networkInterfaces } from 'node:os';
import t, { type Test } from 'tap';
import { parseDatabase } from '../../../src/commands/database-flags.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { type DatabaseInspection, inspectDatabase } from '../../../src/store/postgres/inspect-database.ts';
import { eventually } from '../../eventually.ts';
import { startPgBouncer } from '../../postgres/pgbouncer.ts';
import { startPostgres } from '../../postgres/postgres-server.ts';
import { skipWithoutPgBouncer, skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres/test-database.ts';

const skip = skipWithoutPostgres;

async function inspect(url: string, direct?: string): Promise<DatabaseInspection> {
  const flags = { database: undefined, 'database-file': undefined, 'database-direct': undefined };
  const variables = { VP_DATABASE: url, ...(direct === undefined ? {} : { VP_DATABASE_DIRECT: direct }) };
  const connections = parseDatabase(flags, { variables, cwd: '/' }, 'vp doctor');
  if (connections === undefined) throw new Error('no connection is named');
  return inspectDatabase(connections, { clock: systemClock });
}

/** The files of test servers are not synced otherwise, which is a problem of its own. */
async function createDurableDatabase(t: Test): Promise<TestDatabase> {
  const database = await createTestDatabase(t);
  for (const text of ['ALTER SYSTEM SET fsync TO on', 'SELECT pg_reload_conf()']) await database.query(text);
  await eventually(async () => (await database.query('SHOW fsync'))[0]?.fsync === 'on');
  return database;
}

const listCodes = ({ problems }: DatabaseInspection): string[] => problems.map(({ code }) => code);

t.test('an empty database that its owner names has no problems', { skip }, async (t) => {
  const { url, name, server } = await createDurableDatabase(t);
  const inspection = await inspect(url);
  t.match(inspection, {
    facts: [
      new RegExp(`^${name} at 127.0.0.1:${server.port}, PostgreSQL \\d+`),
      'without TLS, direct',
      'it holds no store yet',
    ],
    problems: [],
  });
});

t.test('a user who may not create the store is a problem', { skip }, async (t) => {
  const { server, name } = await createDurableDatabase(t);
  await server.query('CREATE ROLE reader LOGIN');
  t.teardown(() => server.query('DROP ROLE reader'));
  const inspection = await inspect(server.getUrl(name, { user: 'reader' }));
  t.match(inspection.problems, [{ code: 'STORE_DATABASE_RIGHTS', cure: new RegExp(`ALTER DATABASE ${name} OWNER`) }]);
});

t.test('a database that cannot be connected is refused with the reason', { skip }, async (t) => {
  const { server } = await createTestDatabase(t);
  await t.rejects(inspect(server.getUrl('absent')), { code: 'STORE_DATABASE_UNKNOWN' });
});

t.test('a connection over a network without TLS is a warning', { skip }, async (t) => {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const own = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  if (own === undefined) return t.comment('this machine has no address on a network');
  const server = await startPostgres(t, {
    settings: { listen_addresses: own, fsync: 'on' },
    accessRules: [`host all all ${own}/32 trust`],
  });
  const inspection = await inspect(server.getUrl('postgres', { host: own }));
  t.match(inspection.problems, [{ code: 'STORE_DATABASE_UNENCRYPTED', message: new RegExp(own) }]);
});

t.test('a server that does not write to its disk is a warning', { skip }, async (t) => {
  const server = await startPostgres(t, { settings: { fsync: 'off' } });
  const { problems } = await inspect(server.getUrl('postgres'));
  t.match(problems, [{ code: 'STORE_DATABASE_UNSAFE', message: /fsync is off/, cure: /`fsync = on`/ }]);
});

t.test('a pooler needs a direct connection beside it', { skip: skipWithoutPgBouncer }, async (t) => {
  const { server, name, url } = await createDurableDatabase(t);
  const bouncer = await startPgBouncer(t, server, { poolMode: 'transaction' });
  const alone = await inspect(bouncer.getUrl(name));
  t.match(alone.facts, [/./, 'without TLS, through a pooler', /./]);
  t.same(listCodes(alone), ['STORE_DATABASE_POOLED']);
  t.same(listCodes(await inspect(bouncer.getUrl(name), bouncer.getUrl(name))), ['STORE_DATABASE_POOLED']);
  t.same(listCodes(await inspect(bouncer.getUrl(name), url)), []);
});

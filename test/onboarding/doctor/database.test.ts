/** `vp doctor` about a store on PostgreSQL. */
import { chmodSync } from 'node:fs';
import t from 'tap';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';
import { startDoctorFixture } from './doctor-fixture.ts';

t.test('doctor examines the database that a file names', { skip: skipWithoutPostgres }, async (t) => {
  const { doctor, files } = await startDoctorFixture(t);
  const { url, name } = await createTestDatabase(t);
  // Servers of tests do not wait for the disk, which is the one thing to warn of.
  const file = files.write('database.url', `${url}\n`);
  chmodSync(file, 0o600);
  const { checks } = await doctor('--database-file', 'database.url');
  t.match(checks.get('store_database'), {
    outcome: 'warning',
    problems: [{ code: 'STORE_DATABASE_UNSAFE' }],
    facts: [new RegExp(`^${name} at 127`), 'without TLS, direct', /./],
  });
  const { checks: refused } = await doctor('--database', 'postgres://vp:hunter2@127.0.0.1:1/vp');
  t.match(refused.get('store_database'), { problems: [{ code: 'STORE_DATABASE_PASSWORD_EXPOSED' }] });
  t.notMatch(JSON.stringify([...refused]), 'hunter2');
});

/** `vp migrate` of stores on PostgreSQL. */
import t from 'tap';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';
import { createWorkspace } from '../test-workspace.ts';
import { variables } from './filled-folder.ts';

t.test('stores on PostgreSQL are created, and need nothing afterwards', { skip: skipWithoutPostgres }, async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const vp = (...args: readonly string[]) => workspace.vp(['migrate', ...args], { variables });
  const database = await createTestDatabase(t);
  t.match(await vp('--check', '--database', database.url), {
    code: 1,
    stdout: /the store: not created yet[\s\S]*both create them/,
  });
  t.same(await database.query("SELECT 1 FROM pg_namespace WHERE nspname = 'vp'"), []);
  t.match(await vp('--database', database.url), { code: 0, stdout: /what replicas share: created, version \d+\n/ });
  t.match(await vp('--check', '--database', database.url), { code: 0 });
  await database.query("UPDATE vp.stores SET version = 1000 WHERE name = 'audit'");
  t.match(await vp('--check', '--database', database.url), { stderr: /STORE_NEWER/ });
});

/** `vp system`; on replicas, it is tried by test/browser/system.test.ts. */
import t from 'tap';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace } from '../test-workspace.ts';

t.test('the store is named, and one process has no replicas', async (t) => {
  const { vp } = await startTestControlPlane(t, createWorkspace(t, 'http://127.0.0.1:9'));
  t.match(await vp(['system']), {
    code: 0,
    stdout: /^ {2}version {6}\S+\n {2}store {8}SQLite, in the data folder.*\n$/,
  });
  const { stdout } = await vp(['system', '--json']);
  t.match(JSON.parse(stdout), { system: { store: { engine: 'sqlite' }, replication: null } });
});

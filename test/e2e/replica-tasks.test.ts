/** Tasks that wait for an approval, while replicas of a control plane on PostgreSQL are killed and take over. */
import { createTestDatabase } from '../postgres/test-database.ts';
import { checkTasksOverKills, startAttackedHub } from './hub-attacks.ts';
import { sandboxTest } from './sandbox.ts';

sandboxTest('a replica that takes over goes on with tasks that wait, and makes no call again', async (t, sandbox) => {
  const { url } = await createTestDatabase(t);
  await checkTasksOverKills(t, await startAttackedHub(t, sandbox, url));
});

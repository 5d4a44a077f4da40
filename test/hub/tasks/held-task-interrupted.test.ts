/** Tasks whose call was being made when the control plane died. */
import { join } from 'node:path';
import t from 'tap';
import { controlStoreKind } from '../../../src/store/control/schema/control-schema.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { startOAuthControlPlane } from '../../server/oauth/oauth-control-plane.ts';
import { approvalPlaneSettings, startApprovalPlane } from '../approvals/approval-plane.ts';
import { send, startTask, waitForEnd } from './held-task-plane.ts';

t.test('a call that an earlier process began is not made again', async (t) => {
  const { plane, token, sent } = await startApprovalPlane(t);
  const [unsent, unknown] = [await startTask(plane, token, 'one'), await startTask(plane, token, 'two')];
  await plane.close();
  // As a process leaves it that dies after the step from waiting to sending.
  const database = openDatabase({ file: join(plane.folder, 'control.db'), createKind: controlStoreKind });
  await database.write((sql) => {
    sql.execute("UPDATE hub_held_tasks SET state = 'sending'");
    sql.execute(
      "UPDATE hub_approvals SET state = 'approved' WHERE id = (SELECT approval_id FROM hub_held_tasks WHERE id = ?)",
      unsent,
    );
    sql.execute(
      "UPDATE hub_approvals SET state = 'used' WHERE id = (SELECT approval_id FROM hub_held_tasks WHERE id = ?)",
      unknown,
    );
  });
  await database.close();
  const restarted = await startOAuthControlPlane(t, { ...approvalPlaneSettings, folder: plane.folder });
  for (const [taskId, text] of [
    [unsent, /before the call was sent/],
    [unknown, /does not send it again/],
  ] as const) {
    t.equal(await waitForEnd(restarted, token, taskId), 'failed');
    t.match((await send(restarted, token, 'tasks/result', { taskId })).result, { content: [{ text }], isError: true });
  }
  t.equal(sent(), 0);
});

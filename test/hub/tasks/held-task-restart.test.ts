/** A task that waits for an approval when the control plane stops. */
import t from 'tap';
import { authorizeClient, createRegisteredClient } from '../../server/oauth/hub-client.ts';
import {
  createHttpBrowser,
  password,
  postForm,
  startOAuthControlPlane,
} from '../../server/oauth/oauth-control-plane.ts';
import { approvalPlaneSettings, startApprovalPlane } from '../approvals/approval-plane.ts';
import { approveAll, send, startTask, waitForEnd } from './held-task-plane.ts';

t.test(
  'a task that waits when the control plane stops is approved after its restart, and its call made once',
  async (t) => {
    const { plane, max, token, sent } = await startApprovalPlane(t);
    const program = await createRegisteredClient(plane);
    const { tokens } = await authorizeClient(plane, max, program, `${plane.url}/hub/acme`);
    const byToken = await startTask(plane, token, 'by a token');
    const byGrant = await startTask(plane, tokens.access_token, 'by a grant');
    await plane.close();
    const restarted = await startOAuthControlPlane(t, { ...approvalPlaneSettings, folder: plane.folder });
    const browser = createHttpBrowser(restarted.url);
    await browser.api('POST', '/session', { email: 'ana@example.com', password });
    t.match(await send(restarted, token, 'tasks/get', { taskId: byToken }), { result: { status: 'working' } });
    t.equal(await approveAll(browser), 2);
    t.equal(await waitForEnd(restarted, token, byToken), 'completed');
    const { result } = await send(restarted, token, 'tasks/result', { taskId: byToken });
    t.match(result, { content: [{ text: 'by a token' }] });
    const refresh = {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token ?? '',
      client_id: program.clientId,
    };
    const { body: renewed } = await postForm(restarted, 'token', refresh);
    const bearer = String(renewed.access_token ?? tokens.access_token);
    t.equal(await waitForEnd(restarted, bearer, byGrant), 'completed', 'for the client, also with a renewed token');
    t.match(await send(restarted, token, 'tasks/get', { taskId: byGrant }), { error: { code: -32602 } });
    t.equal(sent(), 2);
  },
);

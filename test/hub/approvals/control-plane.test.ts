/** Approvals on a whole control plane: its clients of OAuth, and its restart. */
import t from 'tap';
import { authorizeClient, createRegisteredClient } from '../../server/oauth/hub-client.ts';
import {
  createHttpBrowser,
  type HttpBrowser,
  password,
  postForm,
  startOAuthControlPlane,
} from '../../server/oauth/oauth-control-plane.ts';
import { type CallResult, getDenial } from './approval-hub.ts';
import { approvalPlaneSettings, startApprovalPlane } from './approval-plane.ts';

async function call({ url }: { url: string }, bearer: string | undefined, text = 'hello'): Promise<CallResult> {
  const params = { name: 'good__echo', arguments: { text } };
  const response = await fetch(`${url}/hub/acme/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${bearer}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const answer = await response.text();
  return JSON.parse(answer.startsWith('{') ? answer : (answer.split('data: ').at(-1) ?? '')).result;
}

async function approve(browser: HttpBrowser, id = ''): Promise<number> {
  const { digest } = await (await browser.api('GET', `/hubs/acme/approvals/${id}`)).json();
  return (await browser.api('POST', `/hubs/acme/approvals/${id}`, { decision: 'approve', digest })).status;
}

t.test('an approval of a call by an OAuth client is for this client, also with a renewed token', async (t) => {
  const { plane, ana, max, token, sent } = await startApprovalPlane(t, { hold_s: 0 });
  const [program, other] = [await createRegisteredClient(plane), await createRegisteredClient(plane)];
  const resource = `${plane.url}/hub/acme`;
  const { tokens } = await authorizeClient(plane, max, program, resource);
  const { tokens: otherTokens } = await authorizeClient(plane, max, other, resource);
  const { tokens: tokensOfAna } = await authorizeClient(plane, ana, program, resource);
  const { approval } = getDenial(await call(plane, tokens.access_token));
  const details = await (await ana.api('GET', `/hubs/acme/approvals/${approval}`)).json();
  t.match(details, { person: 'Max', via: 'grant', via_name: 'Probe' });
  t.equal(await approve(ana, approval), 200);
  for (const bearer of [otherTokens.access_token, token]) {
    const held = getDenial(await call(plane, bearer));
    t.equal(held.code, 'HUB_APPROVAL_PENDING', 'another client, and a token of the same person');
    t.not(held.approval, approval);
  }
  t.equal(getDenial(await call(plane, tokensOfAna.access_token)).code, 'HUB_APPROVER_MISSING', 'the client of Ana');
  t.equal(sent(), 0);
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
  const { body: renewed } = await postForm(plane, 'token', { ...refresh, client_id: program.clientId });
  t.match(await call(plane, renewed.access_token), { content: [{ text: 'hello' }] });
  t.equal(getDenial(await call(plane, renewed.access_token)).code, 'HUB_APPROVAL_PENDING');
  t.equal(sent(), 1);
});

t.test('approvals hold once after a restart, and what waits is decided after it', async (t) => {
  const { plane, ana, token, sent } = await startApprovalPlane(t, { hold_s: 0 });
  const approved = getDenial(await call(plane, token, 'approved')).approval;
  const waiting = getDenial(await call(plane, token, 'waiting')).approval;
  t.equal(await approve(ana, approved), 200);
  await plane.close();
  const restarted = await startOAuthControlPlane(t, { ...approvalPlaneSettings, folder: plane.folder });
  const browser = createHttpBrowser(restarted.url);
  await browser.api('POST', '/session', { email: 'ana@example.com', password });
  t.equal(getDenial(await call(restarted, token, 'waiting')).approval, waiting, 'the same call waits for the same one');
  t.equal(sent(), 0);
  const results = await Promise.all([call(restarted, token, 'approved'), call(restarted, token, 'approved')]);
  t.equal(results.filter(({ isError }) => isError !== true).length, 1, 'one of two calls uses it');
  t.equal(sent(), 1);
  t.equal(await approve(browser, waiting), 200);
  t.match(await call(restarted, token, 'waiting'), { content: [{ text: 'waiting' }] });
  t.equal(getDenial(await call(restarted, token, 'waiting')).code, 'HUB_APPROVAL_PENDING');
  t.equal(sent(), 2);
});

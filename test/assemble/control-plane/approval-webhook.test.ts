/** A webhook hears of held calls, signed and without what the server would get. */
import { createHmac } from 'node:crypto';
import t from 'tap';
import { createApprovalNotifier } from '../../../src/assemble/control-plane/approval-webhook.ts';
import { openHubApprovals } from '../../../src/assemble/control-plane/hub-approvals.ts';
import { parseApprovalWebhook } from '../../../src/commands/serve/approval-webhook-flags.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { processEnvironment } from '../../../src/environment/environment.ts';
import { findApproval } from '../../../src/store/control/hubs/approvals.ts';
import { eventually } from '../../eventually.ts';
import { getDenial, startApprovalHub } from '../../hub/approvals/approval-hub.ts';
import { createConnection, createPrincipal } from '../../hub/fixtures/test-gateway.ts';
import { startTestServer } from '../../hub/fixtures/test-server.ts';

const secret = 'a secret of the webhook and its receiver';

t.test('the message is signed, links into the console and has no arguments; a failure is tried again', async (t) => {
  const { call, api, hub } = await startApprovalHub(t);
  const id = getDenial(await call('{"text":"the salary of Ben"}')).approval ?? '';
  const row = await api.control.database.read((sql) => findApproval(sql, hub.hub_id, id));
  if (!row) throw new Error('the request is stored');
  const received: { readonly headers: Headers; readonly body: string }[] = [];
  const receiver = await startTestServer(t, async (request) => {
    received.push({ headers: request.headers, body: await request.text() });
    return new Response(null, { status: received.length === 1 ? 503 : 204 });
  });
  const errors: unknown[] = [];
  const webhook = parseApprovalWebhook(
    { 'approval-webhook': receiver.url },
    { variables: { VP_APPROVAL_WEBHOOK_SECRET: secret }, cwd: '/' },
  );
  if (!webhook) throw new Error('a webhook is configured');
  const clock = { ...systemClock, sleep: async () => {} };
  const address = () => 'https://vp.example';
  createApprovalNotifier(webhook, { clock, variables: {}, address, onError: (error) => errors.push(error) })(row);
  await eventually(() => received.length === 2);
  for (const { headers, body } of received) {
    const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`;
    const signature = createHmac('sha256', secret).update(signed).digest('base64');
    t.equal(headers.get('webhook-signature'), `v1,${signature}`);
    t.notMatch(body, /salary/);
    t.match(JSON.parse(body), {
      type: 'hub.approval.requested',
      data: { hub: 'acme', tool: 'echo', person: 'Max', url: `https://vp.example/hubs/acme/approvals?approval=${id}` },
    });
  }
  t.same(errors, []);
});

t.test('a webhook that stays away is an error in the log, and nothing else', async (t) => {
  const { call, api, hub } = await startApprovalHub(t);
  const id = getDenial(await call()).approval ?? '';
  const row = await api.control.database.read((sql) => findApproval(sql, hub.hub_id, id));
  const receiver = await startTestServer(t, () => new Response(null, { status: 500 }));
  const errors: unknown[] = [];
  const webhook = { url: new URL(`${receiver.url}?key=secret`), secret: Buffer.from(secret), extraRoots: [] };
  const clock = { ...systemClock, sleep: async () => {} };
  const dependencies = { clock, variables: {}, address: () => '', onError: (error: unknown) => errors.push(error) };
  if (row) createApprovalNotifier(webhook, dependencies)(row);
  await eventually(() => errors.length === 1);
  t.match(errors[0], { code: 'HUB_APPROVAL_WEBHOOK_FAILED', message: /it answered 500/ });
  t.notMatch(String(errors[0]), /secret/);
});

t.test('the address must be https, and the secret long', async (t) => {
  const parse = (url: string, value: string) =>
    parseApprovalWebhook({ 'approval-webhook': url }, { variables: { VP_APPROVAL_WEBHOOK_SECRET: value }, cwd: '/' });
  t.throws(() => parse('http://example.com/hook', secret), { code: 'FLAG_INVALID', message: /https/ });
  t.throws(() => parse('https://example.com/hook', 'short'), { code: 'FLAG_INVALID', message: /24 characters/ });
  const encoded = Buffer.from('0123456789abcdef0123456789').toString('base64');
  const webhook = parse('https://example.com/hook', `whsec_${encoded}`);
  t.equal(Buffer.from(webhook?.secret ?? []).toString(), '0123456789abcdef0123456789');
  t.equal(parseApprovalWebhook({ 'approval-webhook': undefined }, { variables: {}, cwd: '/' }), undefined);
});

t.test('a control plane with a webhook tells it of each new request', async (t) => {
  const { api, gateway, hub } = await startApprovalHub(t);
  const received: string[] = [];
  const receiver = await startTestServer(t, async (request) => {
    received.push(await request.text());
    return new Response(null, { status: 204 });
  });
  const approvalWebhook = { url: new URL(receiver.url), secret: Buffer.from(secret), extraRoots: [] };
  const { control, identity, hub: hubServices } = api;
  const { requests } = openHubApprovals(
    {
      ...{ control, identity, hub: hubServices, approvalWebhook, address: () => 'https://vp.example' },
      environment: { ...processEnvironment(), variables: {} },
    },
    { audit: gateway.audit, governance: gateway.governance, onFault: (fault) => t.fail(String(fault)) },
  );
  t.teardown(() => requests.close());
  const call = {
    principal: { ...createPrincipal('Max'), hub: { id: hub.hub_id, slug: 'acme' } },
    connection: createConnection('good', 'https://tools.example/mcp'),
    ...{ tool: 'echo', arguments: {}, callText: '{"arguments":{}}', redact: { keep: true, hide: [] } },
    requestId: undefined,
  };
  const allow = () => ({ allowed: true as const, redact: call.redact });
  const requirement = { rules: [{ tools: '*' }], policyRevision: 1, pin: 'pin', allow };
  const { id } = await requests.open({ ...call, requirement });
  await requests.open({ ...call, requirement });
  await eventually(() => received.length === 1);
  t.match(JSON.parse(received[0] ?? ''), { data: { approval: id, connection: 'good' } });
});

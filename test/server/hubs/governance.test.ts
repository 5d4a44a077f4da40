/** The audit and the policy of a hub over the API: who may read and change them. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { HubPolicy } from '../../../src/contract/hubs/policy-api.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { openAudit } from '../../../src/hub/audit/audit-log.ts';
import { createGovernanceService } from '../../../src/hub/policy/governance-service.ts';
import type { Identity } from '../../../src/identity/identity.ts';
import { hubAuditRoutes } from '../../../src/server/hubs/audit-routes.ts';
import { hubPolicyRoutes } from '../../../src/server/hubs/policy-routes.ts';
import { createEntry, masterKey } from '../../hub/audit/test-audit.ts';
import { createHubPeople, putMember, readJson, readRefusal } from '../../hub/fixtures/hub-people.ts';
import type { TestBrowser } from '../test-browser.ts';
import { createVariantServer } from '../test-server.ts';

async function startGovernanceServer(t: Test) {
  const onFault = (fault: unknown): void => void t.fail('a fault', { fault: String(fault) });
  const people = await createHubPeople(t);
  // In a subfolder, because `t.testdir` empties the folder of the store.
  const folder = join(t.testdirName, 'audit');
  const options = { folder, masterKey, clock: systemClock, random: systemRandom, onError: onFault };
  const audit = await openAudit({ ...options, settings: { minFreeBytes: 0 } });
  t.teardown(() => audit.close());
  const { api, ids, hub } = people;
  const parts = {
    database: api.control.database,
    connectionRepository: api.hub.connectionRepository,
    audit,
    clock: systemClock,
  };
  const governance = createGovernanceService({
    ...parts,
    logSecurityEvent: (event) => api.security.push(event),
    onError: (error) => t.fail('background work failed', { error }),
  });
  const hubGateway = { ...Object.create(null), governance };
  // The browsers call the app with these services.
  const credentials = { areValid: true };
  const isCredentialValid: Identity['isCredentialValid'] = async (caller) =>
    credentials.areValid && api.identity.isCredentialValid(caller);
  const { fetch, ask } = createVariantServer(api, { hubGateway, identity: { ...api.identity, isCredentialValid } });
  Object.assign(api, { fetch, ask });
  const recordCall = (name: string, more: object = {}) =>
    audit.record(
      createEntry({
        atMs: systemClock.nowMs(),
        principal: {
          hub: { id: hub.hub_id, slug: 'acme' },
          person: { personId: ids[name] ?? '', name },
          role: 'member',
          via: { kind: 'token', tokenId: `t-${name}`, tokenName: 'ci' },
          client: undefined,
        },
        ...more,
      }),
    );
  return { credentials, ...people, governance, audit, called: recordCall };
}

type Page = { items: { person: string; seq: number; outcome: string }[]; next_cursor: string | null };
const get = <T>(browser: TestBrowser, path: string): Promise<T> =>
  readJson<T>(browser.ask('GET', `/api/v1/hubs/acme${path}`));

t.test('owners search all calls, members their own, others learn nothing', async (t) => {
  const { ana, max, eve, called: recordCall } = await startGovernanceServer(t);
  await recordCall('Ana');
  await recordCall('Max', { outcome: 'denied', reason: 'read-only' });
  await recordCall('Max');
  t.strictSame(
    (await get<Page>(ana, '/audit')).items.map(({ person }) => person),
    ['Max', 'Max', 'Ana'],
  );
  t.match(await get<Page>(max, '/audit?outcome=denied'), { items: [{ person: 'Max', seq: 2 }], next_cursor: null });
  t.equal((await get<Page>(max, '/audit')).items.length, 2);
  const first = await get<Page>(ana, '/audit?limit=2');
  t.match(await get<Page>(ana, `/audit?limit=2&cursor=${first.next_cursor}`), {
    items: [{ seq: 1 }],
    next_cursor: null,
  });
  t.equal(await readRefusal(eve.ask('GET', '/api/v1/hubs/acme/audit')), '404 HUB_UNKNOWN');
  t.match(await get(ana, '/audit/state'), { problem: null, first_seq: 1, last_seq: 3 });
});

t.test('owners export in every format', async (t) => {
  const { ana, max, called: recordCall } = await startGovernanceServer(t);
  for (let index = 0; index < 600; index += 1) await recordCall('Ana');
  for (const [format, type, lines] of [
    ['jsonl', 'application/x-ndjson', 600],
    ['csv', 'text/csv; charset=utf-8', 601],
    ['otel', 'application/x-ndjson', 2],
  ] as const) {
    const response = await ana.ask('GET', `/api/v1/hubs/acme/audit/export?format=${format}`);
    t.equal(response.headers.get('content-type'), type);
    t.equal((await response.text()).trimEnd().split('\n').length, lines);
  }
  t.equal(await readRefusal(max.ask('GET', '/api/v1/hubs/acme/audit/export')), '403 HUB_ROLE_INSUFFICIENT');
});

t.test('new calls are streamed to those who may see them', async (t) => {
  const { max, called: recordCall } = await startGovernanceServer(t);
  const response = await max.ask('GET', '/api/v1/hubs/acme/audit/tail');
  t.equal(response.headers.get('content-type'), 'text/event-stream');
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let receivedText = '';
  const until = async (part: string) => {
    while (reader && !receivedText.includes(part)) receivedText += decoder.decode((await reader.read()).value);
  };
  await until('following');
  await recordCall('Ana');
  await recordCall('Max');
  await until('event: call');
  t.match(receivedText, /id: 2\ndata: \{.*"person":"Max"/);
  t.notMatch(receivedText, '"person":"Ana"');
  await reader?.cancel();
});

t.test('new calls are not streamed any more once a credential has expired', async (t) => {
  const { max, called: recordCall, credentials } = await startGovernanceServer(t);
  const openTail = () => max.ask('GET', '/api/v1/hubs/acme/audit/tail');
  const expires = (await openTail()).text();
  await recordCall('Max');
  credentials.areValid = false;
  await recordCall('Max');
  t.notMatch(await expires, /"seq":2/);
  t.equal(await (await openTail()).text(), '', 'it may have expired since the request was authenticated');
});

/** Until its first text has come. */
async function openTail(browser: TestBrowser): Promise<ReadableStreamDefaultReader<Uint8Array> | undefined> {
  const reader = (await browser.ask('GET', '/api/v1/hubs/acme/audit/tail')).body?.getReader();
  await reader?.read();
  return reader;
}

t.test('a tail ends at once when its reader is no member any more, and those of others go on', async (t) => {
  const { ana, max, vic, ids, called: recordCall } = await startGovernanceServer(t);
  const [ofMax, ofVic] = [await openTail(max), await openTail(vic)];
  await ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Max}`);
  t.match(await ofMax?.read(), { done: true });
  await recordCall('Vic');
  t.match(Buffer.from((await ofVic?.read())?.value ?? []).toString(), /^event: call/, 'without anything before');
  await ofVic?.cancel();
});

t.test('a tail of an owner ends when they may see their own calls only', async (t) => {
  const { ana, max, ids, called: recordCall } = await startGovernanceServer(t);
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  const tail = await openTail(max);
  await putMember(ana, 'acme', ids.Max ?? '', 'member');
  await recordCall('Ana');
  t.match(await tail?.read(), { done: true });
});

t.test('a tail of a member who becomes an owner goes on with their own calls', async (t) => {
  const { ana, max, ids, called: recordCall } = await startGovernanceServer(t);
  const tail = await openTail(max);
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  await recordCall('Ana');
  await recordCall('Max');
  const text = Buffer.from((await tail?.read())?.value ?? []).toString();
  t.match(text, /^event: call/);
  t.match(text, '"person":"Max"');
  t.notMatch(text, '"person":"Ana"');
  await tail?.cancel();
});

t.test('members read the policy, owners change and simulate it', async (t) => {
  const { ana, max, eve, called: recordCall, api } = await startGovernanceServer(t);
  const ask = (browser: TestBrowser, method: string, path: string, body: unknown) =>
    browser.ask(method, `/api/v1/hubs/acme${path}`, body);
  t.match(await get<HubPolicy>(max, '/policy'), { revision: 0, changed_by: null });
  const document = { roles: { member: { deny: ['tickets__*'] } } };
  t.equal(await readRefusal(ask(max, 'PUT', '/policy', { document, if_revision: 0 })), '403 HUB_ROLE_INSUFFICIENT');
  t.equal(await readRefusal(ask(eve, 'PUT', '/policy', { document, if_revision: 0 })), '404 HUB_UNKNOWN');
  await recordCall('Max');
  t.match(await readJson(ask(ana, 'POST', '/policy/trial', { document })), {
    calls: 1,
    refused: [{ tool: 'tickets__create', person: 'Max', calls: 1 }],
  });
  t.equal(
    await readRefusal(ask(ana, 'PUT', '/policy', { document, if_revision: 0 })),
    '409 POLICY_TOOL_UNKNOWN',
    'a policy for tools that do not exist is not put in force without confirmation',
  );
  t.match(await readJson(ask(ana, 'PUT', '/policy', { document, if_revision: 0, accept_unknown_tools: true })), {
    revision: 1,
    changed_by: 'Ana',
  });
  t.ok(api.security.some(({ event }) => event === 'hub_policy_changed'));
  t.equal(await readRefusal(ask(ana, 'PUT', '/policy', { document, if_revision: 0 })), '409 POLICY_REVISION_OTHER');
  const invalidDocument = { arguments: [{ tools: '*', schema: { $ref: '#' } }] };
  t.equal(
    await readRefusal(ask(ana, 'PUT', '/policy', { document: invalidDocument, if_revision: 1 })),
    '422 POLICY_INVALID',
  );
  t.match(await readRefusal(ask(ana, 'PUT', '/policy', { document: { rolls: {} } })), /^400/);
  t.match(await get(max, '/tools'), { items: [] });
  const approval = { connection: 'tickets', tool: 'create', digest: 'x' };
  t.equal(await readRefusal(ask(max, 'POST', '/tools/approve', approval)), '403 HUB_ROLE_INSUFFICIENT');
  t.equal(await readRefusal(ask(ana, 'POST', '/tools/approve', approval)), '404 TOOL_PIN_UNKNOWN');
});

t.test('no route is open without a credential', async (t) => {
  const { api } = await startGovernanceServer(t);
  for (const { method, path } of [...hubAuditRoutes, ...hubPolicyRoutes])
    t.equal((await api.ask(method, path.replace('{hub}', 'acme'), undefined, null)).status, 401, `${method} ${path}`);
});

/** The audit and the policy of a hub over the API: who may see, who may change. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { HubPolicy } from '../../src/contract/hub-policy-api.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { openAudit } from '../../src/hub/audit/audit-log.ts';
import { governanceOf } from '../../src/hub/governance.ts';
import { hubAuditRoutes } from '../../src/server/hub-audit.ts';
import { hubPolicyRoutes } from '../../src/server/hub-policy.ts';
import { serverRoutes } from '../../src/server/routes.ts';
import { aCall, masterKey } from '../hub/audit/opened.ts';
import { hubPeople, json, refusalOf } from '../hub/hub-people.ts';
import type { Browser } from './browser.ts';
import { servedAgain } from './served.ts';

async function house(t: Test) {
  const onFault = (fault: unknown): void => void t.fail('a fault', { fault: String(fault) });
  const people = await hubPeople(t);
  // Beside the store of the people: making the folder of a test empties it.
  const folder = join(t.testdirName, 'audit');
  const options = { folder, masterKey, clock: systemClock, random: systemRandom, onFault };
  const audit = await openAudit({ ...options, settings: { leaveFreeBytes: 0 } });
  t.teardown(() => audit.close());
  const { api, ids, hub } = people;
  const parts = { database: api.control.database, book: api.hub.book, audit, clock: systemClock };
  const governance = governanceOf({ ...parts, tell: (event) => api.security.push(event) });
  const routes = [...serverRoutes, ...hubAuditRoutes(governance), ...hubPolicyRoutes(governance)];
  // The browsers of the people ask the app that has these routes too.
  const { fetch, ask } = servedAgain(api, { routes });
  Object.assign(api, { fetch, ask });
  const called = (name: string, more: object = {}) =>
    audit.record(
      aCall({
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
  return { ...people, governance, audit, called };
}

type Page = { items: { person: string; seq: number; outcome: string }[]; next_cursor: string | null };
const get = <T>(one: Browser, path: string): Promise<T> => json<T>(one.ask('GET', `/api/v1/hubs/acme${path}`));

t.test('owners search all calls, others their own, strangers learn nothing', async (t) => {
  const { ana, max, eve, called } = await house(t);
  await called('Ana');
  await called('Max', { outcome: 'denied', reason: 'read-only' });
  await called('Max');
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
  t.equal(await refusalOf(eve.ask('GET', '/api/v1/hubs/acme/audit')), '404 HUB_UNKNOWN');
  t.match(await get(ana, '/audit/state'), { problem: null, first_seq: 1, last_seq: 3 });
});

t.test('owners export in every form', async (t) => {
  const { ana, max, called } = await house(t);
  for (let at = 0; at < 600; at += 1) await called('Ana');
  for (const [format, type, lines] of [
    ['jsonl', 'application/x-ndjson', 600],
    ['csv', 'text/csv; charset=utf-8', 601],
    ['otel', 'application/x-ndjson', 2],
  ] as const) {
    const response = await ana.ask('GET', `/api/v1/hubs/acme/audit/export?format=${format}`);
    t.equal(response.headers.get('content-type'), type);
    t.equal((await response.text()).trimEnd().split('\n').length, lines);
  }
  t.equal(await refusalOf(max.ask('GET', '/api/v1/hubs/acme/audit/export')), '403 HUB_ROLE_INSUFFICIENT');
});

t.test('calls are followed as they are written, each by those who may see it', async (t) => {
  const { max, called } = await house(t);
  const response = await max.ask('GET', '/api/v1/hubs/acme/audit/tail');
  t.equal(response.headers.get('content-type'), 'text/event-stream');
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let seen = '';
  const until = async (part: string) => {
    while (reader && !seen.includes(part)) seen += decoder.decode((await reader.read()).value);
  };
  await until('following');
  await called('Ana');
  await called('Max');
  await until('event: call');
  t.match(seen, /id: 2\ndata: \{.*"person":"Max"/);
  t.notMatch(seen, '"person":"Ana"');
  await reader?.cancel();
});

t.test('members read the policy, owners change and try it', async (t) => {
  const { ana, max, eve, called, api } = await house(t);
  const ask = (one: Browser, method: string, path: string, body: unknown) =>
    one.ask(method, `/api/v1/hubs/acme${path}`, body);
  t.match(await get<HubPolicy>(max, '/policy'), { revision: 0, changed_by: null });
  const document = { roles: { member: { deny: ['tickets__*'] } } };
  t.equal(await refusalOf(ask(max, 'PUT', '/policy', { document })), '403 HUB_ROLE_INSUFFICIENT');
  t.equal(await refusalOf(ask(eve, 'PUT', '/policy', { document })), '404 HUB_UNKNOWN');
  await called('Max');
  t.match(await json(ask(ana, 'POST', '/policy/trial', { document })), {
    calls: 1,
    refused: [{ tool: 'tickets__create', person: 'Max', calls: 1 }],
  });
  t.match(await json(ask(ana, 'PUT', '/policy', { document, if_revision: 0 })), { revision: 1, changed_by: 'Ana' });
  t.ok(api.security.some(({ event }) => event === 'hub_policy_changed'));
  t.equal(await refusalOf(ask(ana, 'PUT', '/policy', { document, if_revision: 0 })), '409 POLICY_REVISION_OTHER');
  const bad = { arguments: [{ tools: '*', schema: { $ref: '#' } }] };
  t.equal(await refusalOf(ask(ana, 'PUT', '/policy', { document: bad })), '422 POLICY_INVALID');
  t.match(await refusalOf(ask(ana, 'PUT', '/policy', { document: { rolls: {} } })), /^400/);
  t.match(await get(max, '/tools'), { items: [] });
  const approval = { connection: 'tickets', tool: 'create', digest: 'x' };
  t.equal(await refusalOf(ask(max, 'POST', '/tools/approve', approval)), '403 HUB_ROLE_INSUFFICIENT');
  t.equal(await refusalOf(ask(ana, 'POST', '/tools/approve', approval)), '404 TOOL_PIN_UNKNOWN');
});

t.test('no route is open to who has no credential', async (t) => {
  const { api, governance } = await house(t);
  for (const { method, path } of [...hubAuditRoutes(governance), ...hubPolicyRoutes(governance)])
    t.equal((await api.ask(method, path.replace('{hub}', 'acme'), undefined, null)).status, 401, `${method} ${path}`);
});

/** Several changes of a hub in one request: all or none. */
import t from 'tap';
import { listMembers } from '../../../src/store/control/hubs/members.ts';
import { insertPerson } from '../../../src/store/control/identity/people.ts';
import { startApprovalHub } from '../../hub/approvals/approval-hub.ts';
import { readJson, readRefusal } from '../../hub/fixtures/hub-people.ts';
import type { TestBrowser } from '../test-browser.ts';

const path = '/api/v1/hubs/acme';
const serverUrl = 'https://tools.example.com/mcp';

t.test('changes are made in their order, also those that depend on each other', async (t) => {
  const { ana } = await startApprovalHub(t);
  const changed = await ana.ask('POST', '/api/v1/hubs/fresh/changes', {
    changes: [
      { kind: 'create_hub', name: 'Fresh' },
      { kind: 'change_settings', settings: { tool_list: 'search' } },
      { kind: 'set_policy', policy: { document: { audit: { lists: true } }, if_revision: 0 } },
      { kind: 'add_connection', connection: { name: 'docs', kind: 'http', url: serverUrl } },
      { kind: 'change_connection', connection_id: 'docs', connection: { name: 'guide' } },
    ],
  });
  t.match(await changed.json(), {
    count: 5,
    hub: { slug: 'fresh', name: 'Fresh', tool_list: 'search', connections: 1 },
  });
  t.match(await readJson(ana.ask('GET', '/api/v1/hubs/fresh/policy')), {
    revision: 1,
    document: { audit: { lists: true } },
  });
  t.match(await readJson(ana.ask('GET', '/api/v1/hubs/fresh/connections')), { items: [{ name: 'guide' }] });
});

t.test('one that is refused undoes those before it, and nobody hears of them', async (t) => {
  const { ana, api, max } = await startApprovalHub(t);
  const { revision } = await readJson<{ revision: number }>(ana.ask('GET', `${path}/policy`));
  const before = await readJson(ana.ask('GET', path));
  const first = { kind: 'change_settings', settings: { name: 'Other' } };
  const cases = [
    [{ kind: 'set_policy', policy: { document: {}, if_revision: revision + 5 } }, 'POLICY_REVISION_OTHER'],
    [
      { kind: 'set_policy', policy: { document: { roles: { viewer: { allow: ['nix__x'] } } }, if_revision: revision } },
      'POLICY_TOOL_UNKNOWN',
    ],
    [
      { kind: 'set_policy', policy: { document: { budgets: [{ per: 'hub', period: 'day' }] }, if_revision: revision } },
      'POLICY_INVALID',
    ],
    [{ kind: 'add_connection', connection: { name: 'good', kind: 'http', url: serverUrl } }, 'CONNECTION_NAME_TAKEN'],
    [{ kind: 'remove_connection', connection_id: 'none' }, 'CONNECTION_UNKNOWN'],
    [{ kind: 'remove_member', person_id: 'nobody' }, 'HUB_MEMBER_UNKNOWN'],
  ] as const;
  const events = api.security.length;
  for (const [change, code] of cases) {
    const response = await ana.ask('POST', `${path}/changes`, { changes: [first, change] });
    t.equal(response.status, 409, code);
    t.match(await response.json(), { code: 'HUB_CHANGE_REFUSED', diagnostics: [{ position: 1, code }] }, code);
  }
  t.same(await readJson(ana.ask('GET', path)), before);
  t.equal(api.security.length, events);
  t.equal(await readRefusal(max.ask('POST', `${path}/changes`, { changes: [first] })), '409 HUB_CHANGE_REFUSED');
});

t.test('the rights of each change hold as it is made', async (t) => {
  const { ana, eve, max } = await startApprovalHub(t);
  const { items } = await readJson<{ items: { person_id: string; name: string }[] }>(ana.ask('GET', `${path}/members`));
  const ownId = items.find(({ name }) => name === 'Ana')?.person_id;
  const maxId = items.find(({ name }) => name === 'Max')?.person_id;
  const changes = [
    { kind: 'set_member', person_id: maxId, role: 'owner' },
    { kind: 'set_member', person_id: ownId, role: 'viewer' },
    { kind: 'change_settings', settings: { name: 'Mine' } },
  ];
  const refused = await ana.ask('POST', `${path}/changes`, { changes });
  t.match(await refused.json(), { diagnostics: [{ position: 2, code: 'HUB_ROLE_INSUFFICIENT' }] });
  t.match(await readJson(ana.ask('GET', path)), { role: 'owner', name: 'ACME' });
  t.match(await readJson(max.ask('GET', path)), { role: 'member' });
  t.equal(
    await readRefusal(eve.ask('POST', `${path}/changes`, { changes: changes.slice(2) })),
    '409 HUB_CHANGE_REFUSED',
  );
  const late = [...changes.slice(2), { kind: 'create_hub' }];
  t.equal(await readRefusal(ana.ask('POST', `${path}/changes`, { changes: late })), '400 REQUEST_INVALID');
});

t.test('as many members as a hub may have come and go in one request each', async (t) => {
  const { ana, api, hub } = await startApprovalHub(t);
  const people = Array.from({ length: 997 }, (_, number) => `person-${number}`);
  for (let from = 0; from < people.length; from += 100)
    await api.control.database.write((sql) => {
      for (const id of people.slice(from, from + 100))
        insertPerson(sql, {
          ...{ id, name: id, email: `${id}@example.com` },
          ...{ role: 'member', password: 'x', created_at_ms: 0 },
        });
    });
  const make = async (changes: readonly object[]) => ana.ask('POST', `${path}/changes`, { changes });
  const added = await make(people.map((id) => ({ kind: 'set_member', person_id: id, role: 'member' })));
  t.match(await added.json(), { count: 997, hub: { hub_id: hub.hub_id, members: 1000 } });
  const one = { kind: 'set_member', person_id: 'person-0', role: 'viewer' };
  const refused = await make([one, { ...one, person_id: await findId(ana, 'Eve') }]);
  t.match(await refused.json(), { diagnostics: [{ position: 1, code: 'HUB_LIMIT_REACHED' }] });
  const unknown = await make([one, { ...one, person_id: 'nobody' }]);
  t.match(await unknown.json(), { diagnostics: [{ position: 1, code: 'PERSON_UNKNOWN' }] });
  const removed = await make(people.map((id) => ({ kind: 'remove_member', person_id: id })));
  t.match(await removed.json(), { count: 997, hub: { members: 3 } });
  const again = await make([
    { kind: 'remove_member', person_id: 'person-1' },
    { kind: 'remove_member', person_id: 'person-1' },
  ]);
  t.match(await again.json(), { diagnostics: [{ position: 0, code: 'HUB_MEMBER_UNKNOWN' }] });
});

t.test('an owner that hands a hub over and leaves it gets the hub as it is then', async (t) => {
  const { ana, max, ids, hub } = await startApprovalHub(t);
  const changed = await ana.ask('POST', `${path}/changes`, {
    changes: [
      { kind: 'set_member', person_id: ids.Max, role: 'owner' },
      { kind: 'remove_member', person_id: ids.Ana },
    ],
  });
  t.equal(changed.status, 200);
  t.match(await changed.json(), { count: 2, hub: { hub_id: hub.hub_id, role: 'owner', members: 2 } });
  t.match(await readJson(max.ask('GET', path)), { role: 'owner' });
  t.equal(await readRefusal(ana.ask('GET', path)), '404 HUB_UNKNOWN');
});

t.test('the last owner stays, also where changes before would have taken its role', async (t) => {
  const { ana, ids } = await startApprovalHub(t);
  const set = (person_id: string | undefined, role: string) => ({ kind: 'set_member', person_id, role });
  const refused = await ana.ask('POST', `${path}/changes`, {
    changes: [set(ids.Max, 'owner'), set(ids.Max, 'member'), set(ids.Ana, 'viewer')],
  });
  t.match(await refused.json(), { diagnostics: [{ position: 2, code: 'HUB_OWNER_LAST' }] });
});

t.test('who may not change a policy learns nothing of the names in a hub', async (t) => {
  const { vic } = await startApprovalHub(t);
  for (const token of ['ci', 'nothing']) {
    const policy = { document: { callers: [{ tokens: [token], deny: ['good__echo'] }] }, if_revision: 1 };
    const refused = await vic.ask('POST', `${path}/changes`, { changes: [{ kind: 'set_policy', policy }] });
    t.match(await refused.json(), { diagnostics: [{ position: 0, code: 'HUB_ROLE_INSUFFICIENT' }] }, token);
  }
});

async function findId(browser: TestBrowser, name: string): Promise<string | undefined> {
  type People = { items: { name: string; person_id: string }[] };
  const { items } = await readJson<People>(browser.ask('GET', '/api/v1/people'));
  return items.find((person) => person.name === name)?.person_id;
}

type HubFacts = { readonly name: string; readonly revision: string };

t.test('changes for a revision that the hub no longer has are refused, with both, and none is made', async (t) => {
  const { ana, ids } = await startApprovalHub(t);
  const read = (): Promise<HubFacts> => readJson(ana.ask('GET', path));
  const stale = await read();
  const post = (revision: string, ...changes: readonly object[]) =>
    ana.ask('POST', `${path}/changes`, { if_revision: revision, changes });
  const { revision: policy } = await readJson<{ revision: number }>(ana.ask('GET', `${path}/policy`));
  const oauth = { kind: 'oauth', sharing: 'per_user', client_id: 'vp', client_secret: 'abc' };
  const header = { kind: 'header', header: 'X-Api-Key', value: 'abc' };
  const connection = { name: 'docs', kind: 'http', url: serverUrl };
  const changes = [
    { kind: 'change_settings', settings: { name: 'Second' } },
    { kind: 'change_settings', settings: { tool_list: 'search' } },
    { kind: 'set_member', person_id: ids.Eve, role: 'viewer' },
    { kind: 'set_member', person_id: ids.Eve, role: 'member' },
    { kind: 'remove_member', person_id: ids.Eve },
    { kind: 'set_policy', policy: { document: { audit: { lists: true } }, if_revision: policy } },
    { kind: 'add_connection', connection },
    { kind: 'change_connection', connection_id: 'docs', connection: { credential: header } },
    { kind: 'change_connection', connection_id: 'docs', connection: { credential: oauth } },
    { kind: 'change_connection', connection_id: 'docs', connection: { enabled: false } },
    { kind: 'remove_connection', connection_id: 'docs' },
  ];
  let { revision } = stale;
  for (const change of changes) {
    const response = await readJson<{ hub: HubFacts }>(post(revision, change));
    t.equal(response.hub.revision, (await read()).revision, 'the revision after the changes is that of the next read');
    t.not(response.hub.revision, revision, JSON.stringify(change));
    const refused = await post(revision, { kind: 'change_settings', settings: { name: 'Stale' } });
    t.equal(refused.status, 409);
    t.match(await refused.json(), {
      code: 'HUB_CHANGED',
      diagnostics: [{ expected: revision, actual: response.hub.revision }],
    });
    t.not((await read()).name, 'Stale');
    revision = response.hub.revision;
  }
});

t.test('of many that change the same revision at once, one does', async (t) => {
  const { ana, max, ids, api, hub } = await startApprovalHub(t);
  await ana.ask('PUT', `${path}/members/${ids.Max}`, { role: 'owner' });
  for (const round of [1, 2, 3]) {
    const { revision } = await readJson<HubFacts>(ana.ask('GET', path));
    const names = Array.from({ length: 8 }, (_, index) => `Round ${round}, ${index}`);
    const responses = await Promise.all(
      names.map((name, index) =>
        (index % 2 === 0 ? ana : max).ask('POST', `${path}/changes`, {
          if_revision: revision,
          changes: [
            { kind: 'change_settings', settings: { name } },
            { kind: 'set_member', person_id: ids.Vic, role: index < 4 ? 'viewer' : 'member' },
          ],
        }),
      ),
    );
    const winner = responses.findIndex(({ status }) => status === 200);
    t.equal(responses.filter(({ status }) => status === 200).length, 1);
    for (const [index, response] of responses.entries())
      if (index !== winner) t.match(await response.json(), { status: 409, code: 'HUB_CHANGED' });
    t.equal((await readJson<HubFacts>(ana.ask('GET', path))).name, names[winner]);
    const members = await api.control.database.read((sql) => listMembers(sql, hub.hub_id));
    t.equal(members.find(({ name }) => name === 'Vic')?.role, winner < 4 ? 'viewer' : 'member');
  }
});

t.test('only owners learn the present revision from a refusal, and a new hub has none', async (t) => {
  const { ana, max, eve } = await startApprovalHub(t);
  const input = { if_revision: 'x', changes: [{ kind: 'change_settings', settings: { name: 'Mine' } }] };
  t.equal(await readRefusal(ana.ask('POST', `${path}/changes`, input)), '409 HUB_CHANGED');
  t.equal(await readRefusal(max.ask('POST', `${path}/changes`, input)), '403 HUB_ROLE_INSUFFICIENT');
  t.equal(await readRefusal(eve.ask('POST', `${path}/changes`, input)), '404 HUB_UNKNOWN');
  const creation = { if_revision: 'x', changes: [{ kind: 'create_hub' }] };
  t.equal(await readRefusal(ana.ask('POST', '/api/v1/hubs/fresh/changes', creation)), '400 REQUEST_INVALID');
});

/** Several changes of a hub in one request: all or none. */
import t from 'tap';
import { startApprovalHub } from '../../hub/approvals/approval-hub.ts';
import { readJson, readRefusal } from '../../hub/fixtures/hub-people.ts';

const path = '/api/v1/hubs/acme';
const serverUrl = 'https://tools.example.com/mcp';

t.test('changes are made in their order, also those that depend on each other', async (t) => {
  const { ana } = await startApprovalHub(t);
  const made = await ana.ask('POST', '/api/v1/hubs/fresh/changes', {
    changes: [
      { kind: 'create_hub', name: 'Fresh' },
      { kind: 'change_settings', settings: { tool_list: 'search' } },
      { kind: 'set_policy', policy: { document: { audit: { lists: true } }, if_revision: 0 } },
      { kind: 'add_connection', connection: { name: 'docs', kind: 'http', url: serverUrl } },
      { kind: 'change_connection', connection_id: 'docs', connection: { name: 'guide' } },
    ],
  });
  t.match(await made.json(), { count: 5, hub: { slug: 'fresh', name: 'Fresh', tool_list: 'search', connections: 1 } });
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

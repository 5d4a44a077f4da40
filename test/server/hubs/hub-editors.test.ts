/** Two owners who edit the same settings or member of a hub: what one of them has not seen is not overwritten. */
import t from 'tap';
import { startApprovalHub } from '../../hub/approvals/approval-hub.ts';
import { createHubPeople, readJson, readRefusal } from '../../hub/fixtures/hub-people.ts';

const path = '/api/v1/hubs/acme';

t.test('two editors of the settings of a hub do not overwrite each other', async (t) => {
  const { ana } = await createHubPeople(t);
  const save = (input: object) => ana.ask('PUT', path, input);
  t.equal((await save({ name: 'First', if_settings: { name: 'ACME', tool_list: 'all' } })).status, 200);
  const refused = await save({ name: 'Second', tool_list: 'search', if_settings: { name: 'ACME' } });
  t.equal(refused.status, 409);
  t.match(await refused.json(), {
    code: 'HUB_SETTINGS_CHANGED',
    detail: /the name of the hub acme is First by now, not ACME/,
    diagnostics: [{ expected: { name: 'ACME' }, actual: { name: 'First', tool_list: 'all' } }],
  });
  t.match(await readJson(ana.ask('GET', path)), { name: 'First', tool_list: 'all' }, 'nothing of it was changed');
  t.equal((await save({ tool_list: 'search', if_settings: { tool_list: 'all' } })).status, 200);
  t.equal(
    await readRefusal(save({ tool_list: 'all', if_settings: { tool_list: 'all' } })),
    '409 HUB_SETTINGS_CHANGED',
    'although it asks for what was there before',
  );
  t.equal((await save({ name: 'Second', if_settings: { name: 'First' } })).status, 200, 'made from the present name');
  t.match(await readJson(ana.ask('GET', path)), { name: 'Second', tool_list: 'search' });
  t.equal(await readRefusal(save({ name: 'Third', if_setting: { name: 'First' } })), '400 REQUEST_INVALID');
});

t.test('two editors of a member do not overwrite each other', async (t) => {
  const { ana, ids } = await createHubPeople(t);
  const memberPath = (name: string) => `${path}/members/${ids[name]}`;
  const put = (name: string, role: string, expected: string) =>
    ana.ask('PUT', memberPath(name), { role, if_role: expected });
  const readRole = async (name: string) => {
    const { items } = await readJson<{ items: { name: string; role: string }[] }>(ana.ask('GET', `${path}/members`));
    return items.find((member) => member.name === name)?.role;
  };
  t.equal((await put('Max', 'viewer', 'member')).status, 200);
  const refused = await put('Max', 'owner', 'member');
  t.equal(refused.status, 409);
  t.match(await refused.json(), {
    code: 'HUB_MEMBER_CHANGED',
    detail: /the role of Max in the hub acme is viewer by now, not member/,
    diagnostics: [{ expected: 'member', actual: 'viewer' }],
  });
  t.equal(await readRole('Max'), 'viewer');
  t.equal(await readRefusal(ana.ask('DELETE', `${memberPath('Max')}?if_role=member`)), '409 HUB_MEMBER_CHANGED');
  t.equal(await readRole('Max'), 'viewer');
  t.equal((await ana.ask('DELETE', `${memberPath('Max')}?if_role=viewer`)).status, 204);
  t.equal(await readRefusal(put('Max', 'member', 'viewer')), '409 HUB_MEMBER_CHANGED', 'a removed one stays away');
  t.equal(await readRole('Max'), undefined);
  t.equal((await put('Max', 'member', 'none')).status, 200);
  t.equal(await readRefusal(put('Vic', 'member', 'none')), '409 HUB_MEMBER_CHANGED', 'added by somebody else before');
  t.equal(await readRole('Vic'), 'viewer');
  t.equal(await readRefusal(ana.ask('DELETE', `${memberPath('Vic')}?if_role=admin`)), '400 REQUEST_INVALID');
});

t.test('of many that change the same setting or member at once, one does', async (t) => {
  const { ana, max, ids } = await createHubPeople(t);
  await ana.ask('PUT', `${path}/members/${ids.Max}`, { role: 'owner' });
  const attempts = Array.from({ length: 8 }, (_, index) => ({ index, owner: index % 2 === 0 ? ana : max }));
  const renamed = await Promise.all(
    attempts.map(({ index, owner }) =>
      owner.ask('PUT', path, { name: `Name ${index}`, if_settings: { name: 'ACME' } }),
    ),
  );
  const winner = renamed.findIndex(({ status }) => status === 200);
  t.same(renamed.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 409)]);
  t.match(await readJson(ana.ask('GET', path)), { name: `Name ${winner}` });
  const changed = await Promise.all(
    attempts.map(({ index, owner }) =>
      owner.ask('PUT', `${path}/members/${ids.Vic}`, {
        role: index % 3 === 0 ? 'member' : 'owner',
        if_role: 'viewer',
      }),
    ),
  );
  t.same(changed.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 409)]);
});

t.test('only owners learn the present settings and role from a refusal', async (t) => {
  const { max, eve, ids } = await createHubPeople(t);
  const member = { role: 'owner', if_role: 'none' };
  for (const [browser, refusal] of [
    [max, '403 HUB_ROLE_INSUFFICIENT'],
    [eve, '404 HUB_UNKNOWN'],
  ] as const) {
    t.equal(await readRefusal(browser.ask('PUT', path, { name: 'Mine', if_settings: { name: 'x' } })), refusal);
    t.equal(await readRefusal(browser.ask('PUT', `${path}/members/${ids.Vic}`, member)), refusal);
    t.equal(await readRefusal(browser.ask('DELETE', `${path}/members/${ids.Vic}?if_role=owner`)), refusal);
  }
});

t.test('a policy is not saved without the revision that it was made from', async (t) => {
  const { ana } = await startApprovalHub(t);
  const before = await readJson(ana.ask('GET', `${path}/policy`));
  t.equal(await readRefusal(ana.ask('PUT', `${path}/policy`, { document: {} })), '400 REQUEST_INVALID');
  const change = { kind: 'set_policy', policy: { document: {} } };
  t.equal(await readRefusal(ana.ask('POST', `${path}/changes`, { changes: [change] })), '400 REQUEST_INVALID');
  t.same(await readJson(ana.ask('GET', `${path}/policy`)), before);
});

import t from 'tap';
import { inviteMember, setUpOwner } from '../test-browser.ts';
import { registerInstance, startTestServer } from '../test-server.ts';

const path = '/api/v1/instances/sign-dev/views';
const smoke = { page: 'runs', name: 'Smoke', filters: { find: 'tag:smoke', since: '24h' } };

t.test('a view is saved, read, changed and deleted over the API', async (t) => {
  const api = await startTestServer(t, { checkResponses: true });
  await registerInstance(api);
  const created = await api.ask('POST', path, smoke);
  t.equal(created.status, 201);
  const view = await created.json();
  t.match(view, { ...smoke, shared: true, created_by: 'owner' });
  const one = `${path}/${view.view_id}`;
  t.same(await (await api.ask('GET', one)).json(), view);
  t.same(await (await api.ask('GET', path)).json(), { items: [view], next_cursor: null });
  t.same((await (await api.ask('GET', `${path}?page=scenarios`)).json()).items, []);
  const changed = await api.ask('PATCH', one, { name: 'Smoke today', filters: { find: 'tag:smoke', since: 'today' } });
  t.match(await changed.json(), { name: 'Smoke today', filters: { since: 'today' } });
  t.equal((await api.ask('DELETE', one)).status, 204);
  const gone = await api.ask('GET', one);
  t.match([gone.status, await gone.json()], [404, { code: 'VIEW_UNKNOWN' }]);
});

t.test('filters are validated against those that the pages have', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  const refuse = async (input: object) => (await api.ask('POST', path, { ...smoke, ...input })).json();
  for (const filters of [{ state: 'failed' }, { result: 'passed' }, { since: '2h' }, { scenario: '../x' }, { find: 1 }])
    t.match(await refuse({ filters }), { code: 'REQUEST_INVALID' }, JSON.stringify(filters));
  t.match(await refuse({ filters: { find: 'x'.repeat(1001) } }), { code: 'REQUEST_INVALID' });
  t.match(await refuse({ name: 'x'.repeat(61) }), { code: 'REQUEST_INVALID' });
  t.match(await refuse({ page: 'health' }), { code: 'REQUEST_INVALID' });
  t.match(await refuse({ personal: true }), { code: 'REQUEST_INVALID' });
  t.match(await refuse({ page: 'scenarios' }), { code: 'VIEW_INVALID', status: 422 });
  t.match(await refuse({ shared: false }), { code: 'VIEW_PERSON_NEEDED', status: 403 }, 'the owner key');
  await api.ask('POST', path, smoke);
  t.match(await refuse({}), { code: 'VIEW_NAME_TAKEN', status: 409 });
});

t.test('members save views, viewers read the shared ones, and personal ones go with their person', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  const owner = await setUpOwner(api);
  const member = await inviteMember(api, owner, 'Ben', 'member');
  const viewer = await inviteMember(api, owner, 'Vera', 'viewer');
  const shared = await (await member.ask('POST', path, smoke)).json();
  t.match(shared, { created_by: 'Ben' });
  const own = await (await member.ask('POST', path, { ...smoke, name: 'Mine', shared: false })).json();
  const listed = async (browser: typeof owner) => (await (await browser.ask('GET', path)).json()).items;
  t.match(await listed(member), [{ name: 'Smoke' }, { name: 'Mine', shared: false }]);
  t.match(await listed(viewer), [{ name: 'Smoke' }]);
  t.equal((await listed(owner)).length, 1, 'an owner does not see what is personal either');
  t.equal((await owner.ask('DELETE', `${path}/${own.view_id}`)).status, 404);
  t.equal((await viewer.ask('POST', path, { ...smoke, name: 'Hers' })).status, 403);
  t.equal((await viewer.ask('DELETE', `${path}/${shared.view_id}`)).status, 403);
  const { items: people } = await (await owner.ask('GET', '/api/v1/people')).json();
  const ben = people.find(({ name }: { name: string }) => name === 'Ben');
  t.equal((await owner.ask('DELETE', `/api/v1/people/${ben.person_id}`)).status, 204);
  const count = await api.control.database.read((sql) => sql.all('SELECT name FROM saved_views'));
  t.same(count, [{ name: 'Smoke' }]);
});

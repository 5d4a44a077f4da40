import t from 'tap';
import { maxViews } from '../../../src/contract/view-limits.ts';
import { skipOnPostgres } from '../../store/engine-under-test.ts';
import { openTestControl, openTestControlWithApp } from '../control-fixture.ts';

const ana = { name: 'Ana', personId: 'person-ana' };
const ben = { name: 'Ben', personId: 'person-ben' };
const key = { name: 'owner' };
const smoke = { page: 'runs', name: 'Smoke', filters: { find: 'tag:smoke', result: 'failed' } } as const;

t.test('a shared view is seen by everyone, a personal one by its person only', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const shared = await control.views.create('app', smoke, ana);
  t.match(shared, { ...smoke, instance: 'app', shared: true, created_by: 'Ana', updated_by: 'Ana' });
  const own = await control.views.create('app', { ...smoke, name: 'Mine', shared: false }, ben);
  t.equal(own.shared, false);
  const names = async (reader: { name: string; personId?: string }) =>
    (await control.views.list('app', reader)).map(({ name }) => name);
  t.same(await names(ana), ['Smoke']);
  t.same(await names(ben), ['Smoke', 'Mine']);
  t.same(await names(key), ['Smoke']);
  t.same(await control.views.get('app', own.view_id, ben), own);
  const foreign = { code: 'VIEW_UNKNOWN' };
  await t.rejects(control.views.get('app', own.view_id, ana), foreign);
  await t.rejects(control.views.change('app', own.view_id, { name: 'Taken over' }, ana), foreign);
  await t.rejects(control.views.remove('app', own.view_id, key), foreign);
  await t.rejects(control.views.create('app', { ...smoke, name: 'Mine', shared: false }, key), {
    code: 'VIEW_PERSON_NEEDED',
  });
});

t.test('a view is renamed, its filters are replaced, and it is deleted, by anyone who may', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const { view_id: id } = await control.views.create('app', smoke, ana);
  clock.advance(1000);
  const renamed = await control.views.change('app', id, { name: '  Smoke   tests ' }, ben);
  t.match(renamed, { name: 'Smoke tests', filters: smoke.filters, created_by: 'Ana', updated_by: 'Ben' });
  t.not(renamed.updated_at, renamed.created_at);
  const replaced = await control.views.change('app', id, { filters: { since: '24h' } }, key);
  t.same(replaced.filters, { since: '24h' }, 'all of them are replaced');
  t.same(await control.views.list('app', ana, 'scenarios'), []);
  t.same(await control.views.list('app', ana, 'runs'), [replaced]);
  await control.views.remove('app', id, ben);
  await t.rejects(control.views.get('app', id, ana), { code: 'VIEW_UNKNOWN' });
  await t.rejects(control.views.remove('app', id, ana), { code: 'VIEW_UNKNOWN' });
  await t.rejects(control.views.list('nowhere', ana), { code: 'INSTANCE_UNKNOWN' });
});

t.test('a name is used once on a page, whatever the case of its letters', async (t) => {
  const { control } = await openTestControlWithApp(t);
  await control.views.create('app', smoke, ana);
  const other = await control.views.create('app', { ...smoke, name: 'Other' }, ana);
  const taken = { code: 'VIEW_NAME_TAKEN' };
  await t.rejects(control.views.create('app', { ...smoke, name: ' smoke' }, ben), taken);
  await t.rejects(control.views.create('app', { ...smoke, name: 'SMOKE', shared: false }, ben), taken);
  await t.rejects(control.views.change('app', other.view_id, { name: 'Smoke' }, ana), taken);
  t.match(await control.views.change('app', other.view_id, { name: 'OTHER' }, ana), { name: 'OTHER' }, 'its own name');
  await control.views.create('app', { ...smoke, page: 'scenarios', filters: { find: 'tag:smoke' } }, ana);
});

t.test('filters that the page does not have, and a view that shows everything, are refused', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const refuse = (input: object, problem: RegExp) =>
    t.rejects(control.views.create('app', { ...smoke, ...input }, ana), { code: 'VIEW_INVALID', message: problem });
  await refuse({ filters: { deleted: 'true' } }, /no filter deleted/);
  await refuse({ page: 'scenarios', filters: { result: 'failed' } }, /no filter result/);
  await refuse({ filters: {} }, /would show everything/);
  await refuse({ filters: { find: '   ' } }, /would show everything/);
  await refuse({ name: '   ' }, /no name/);
  t.same(await control.views.list('app', ana), []);
});

t.test('shared views are limited, and personal ones for each person apart', async (t) => {
  const { control } = await openTestControlWithApp(t);
  for (let count = 1; count <= maxViews; count += 1)
    await control.views.create('app', { ...smoke, name: `view ${count}` }, ana);
  const limit = { code: 'VIEW_LIMIT_REACHED', message: /100 shared views/ };
  await t.rejects(control.views.create('app', { ...smoke, name: 'one more' }, ben), limit);
  await control.views.create('app', { ...smoke, name: 'own', shared: false }, ben);
  const [first] = await control.views.list('app', ana);
  await control.views.remove('app', first?.view_id ?? '', ana);
  await control.views.create('app', { ...smoke, name: 'one more' }, ben);
});

t.test('views go with their instance', async (t) => {
  const { control } = await openTestControlWithApp(t);
  await control.views.create('app', smoke, ana);
  await control.instances.remove('app');
  await control.instances.create({ instance_id: 'app' }, ana);
  t.same(await control.views.list('app', ana), []);
});

t.test('views are there again after a restart', { skip: skipOnPostgres }, async (t) => {
  const { control, folder } = await openTestControlWithApp(t);
  const shared = await control.views.create('app', smoke, ana);
  const own = await control.views.create('app', { ...smoke, name: 'Mine', shared: false }, ana);
  await control.close();
  const { control: reopened } = await openTestControl(t, { folder });
  t.same(await reopened.views.list('app', ana), [shared, own]);
});

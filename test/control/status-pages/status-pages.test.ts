import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createScenarioText } from '../report-fixture.ts';
import { completeRun } from '../runs/run-history.ts';

const ana = { name: 'ana' };
const dayMs = 86_400_000;
const first = 'RT-GET-document';

async function open(t: Test) {
  const { control, clock, folder } = await openTestControlWithApp(t);
  const inDays = (days: number): string => new Date(clock.nowMs() + days * dayMs).toISOString();
  const write = (id: string, tags = 'http') =>
    control.catalogue.write(
      'app',
      id,
      {
        text: createScenarioText(id)
          .replace('Tags: http', `Tags: ${tags}`)
          .replace('GET document', `GET ${id.toLowerCase()}`),
      },
      ana,
    );
  const create = (input: object = {}) =>
    control.statusPages.create('app', { title: 'Shop', until: inDays(30), ...input }, ana);
  const run = (scenario = first, result: 'passed' | 'failed' = 'passed') =>
    completeRun(control, { scenario, result, nowMs: clock.nowMs() });
  /** Past what is cached. */
  const look = (secret: string) => {
    clock.advance(6_000);
    return control.statusPages.findPublic(secret);
  };
  return { control, clock, folder, inDays, write, create, run, look };
}

t.test('a page shows the newest results to whoever has its secret, until its end', async (t) => {
  const { control, clock, create, run, look } = await open(t);
  const { statusPage, secret } = await create({ title: '  Shop \n checkout ' });
  t.match(statusPage, { title: 'Shop checkout', tags: [], suite: null, ended: false, created_by: 'ana' });
  t.match(secret, /^[\w-]{43}$/);
  t.match(await look(secret), { state: 'no_runs', message: 'no runs', last_run_at: null, counts: { not_run: 1 } });
  await run();
  t.match(await look(secret), {
    ...{ state: 'passing', message: '1 passing', failures: [] },
    scenarios: [{ title: 'GET document', state: 'passing', passed: 1 }],
  });
  await run(first, 'failed');
  const failing = await look(secret);
  t.match(failing, {
    ...{ state: 'failing', message: '1 of 1 failing' },
    failures: [{ scenario: 'GET document', reason: 'another response than expected', quarantined: false }],
  });
  clock.advance(30 * dayMs);
  t.equal(await control.statusPages.findPublic(secret), undefined);
  t.match(await control.statusPages.list('app'), [{ ended: true }]);
});

t.test('nothing of a run but its time and kind is public', async (t) => {
  const { create, run, look } = await open(t);
  const { secret } = await create();
  await run(first, 'failed');
  const text = JSON.stringify(await look(secret));
  for (const value of ['"app"', first, '/count', 'equals', '/api/v2', 'mend it', '3100', 'ana', secret])
    t.notMatch(text, value);
});

t.test('only the hash of a secret is stored, and a secret with one other character shows nothing', async (t) => {
  const { control, create, run, look } = await open(t);
  const { secret } = await create();
  await run();
  const rows = await control.database.read((sql) => sql.all('SELECT * FROM status_pages'));
  t.equal(rows.length, 1);
  t.notMatch(JSON.stringify(rows), secret);
  const other = `${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`;
  for (const wrong of [other, '', secret.slice(1), `${secret}A`, `${secret} `]) t.equal(await look(wrong), undefined);
  t.ok(await look(secret));
});

t.test('a revoked page is gone at once, and one of a removed instance too', async (t) => {
  const { control, create, run, look } = await open(t);
  const [one, two] = [await create(), await create()];
  await run();
  t.ok(await look(one.secret));
  t.match(await control.statusPages.revoke('app', one.statusPage.status_page_id), { title: 'Shop' });
  t.equal(await control.statusPages.findPublic(one.secret), undefined);
  await t.rejects(control.statusPages.revoke('app', one.statusPage.status_page_id), { code: 'STATUS_PAGE_UNKNOWN' });
  t.ok(await look(two.secret));
  await control.instances.remove('app');
  t.equal(await control.statusPages.findPublic(two.secret), undefined);
  t.same(await control.database.read((sql) => sql.all('SELECT id FROM status_pages')), []);
});

t.test('the end is in the next year, and can be moved', async (t) => {
  const { control, clock, inDays, create } = await open(t);
  for (const until of [inDays(-1), inDays(368), '2026-13-01T00:00:00Z'])
    await t.rejects(create({ until }), { code: 'STATUS_PAGE_INVALID' }, until);
  await t.rejects(create({ title: ' \n' }), { code: 'STATUS_PAGE_INVALID' });
  const { statusPage, secret } = await create({ until: inDays(366) });
  const { status_page_id: id } = statusPage;
  await control.statusPages.extend('app', id, { until: inDays(1) });
  clock.advance(dayMs + 1);
  t.equal(await control.statusPages.findPublic(secret), undefined);
  t.match(await control.statusPages.extend('app', id, { until: inDays(2) }), { ended: false });
  t.ok(await control.statusPages.findPublic(secret));
  await t.rejects(control.statusPages.extend('app', id, { until: inDays(400) }), { code: 'STATUS_PAGE_INVALID' });
  await t.rejects(control.statusPages.extend('app', 'none', { until: inDays(1) }), { code: 'STATUS_PAGE_UNKNOWN' });
  await t.rejects(control.statusPages.list('other'), { code: 'INSTANCE_UNKNOWN' });
});

t.test('an instance has at most 50 pages, and ended ones are forgotten after 30 days', async (t) => {
  const { control, clock, inDays, create } = await open(t);
  for (let index = 0; index < 50; index += 1) await create({ until: inDays(1) });
  await t.rejects(create(), { code: 'STATUS_PAGE_INVALID', message: /50 already/ });
  clock.advance(2 * dayMs);
  await create();
  t.equal((await control.statusPages.list('app')).length, 51);
  clock.advance(31 * dayMs);
  await create();
  t.equal((await control.statusPages.list('app')).length, 2);
});

t.test('tags select scenarios, under their present ids', async (t) => {
  const { control, write, create, run, look } = await open(t);
  await write('RT-smoke', 'smoke');
  await write('RT-other', 'slow');
  const { secret } = await create({ tags: ['smoke'] });
  await run('RT-other', 'failed');
  await run('RT-smoke');
  await control.catalogue.rename('app', 'RT-smoke', { new_id: 'RT-renamed' }, ana);
  t.match(await look(secret), { state: 'passing', message: '1 passing', scenarios: [{ passed: 1 }], failures: [] });
  const none = await create({ tags: ['none'] });
  t.match(await look(none.secret), { state: 'no_runs', scenarios: [] });
});

t.test('a scenario in quarantine is shown apart, and its failure is not hidden', async (t) => {
  const { control, inDays, write, create, run, look } = await open(t);
  await write('RT-flaky');
  const { secret } = await create();
  await run();
  await run('RT-flaky', 'failed');
  await control.quarantines.set('app', 'RT-flaky', { until: inDays(1), reason: 'known' }, ana);
  t.match(await look(secret), {
    ...{ state: 'incomplete', message: '1 passing, 1 in quarantine', counts: { passing: 1, quarantined: 1 } },
    quarantined: [{ title: 'GET rt-flaky', state: 'failing' }],
    failures: [{ scenario: 'GET rt-flaky', quarantined: true }],
  });
});

t.test('when nothing runs any more it is stale, by the usual interval or by a given one', async (t) => {
  const { clock, create, run, look } = await open(t);
  const [usual, given] = [await create(), await create({ stale_after_s: 3600 })];
  for (let index = 0; index < 5; index += 1) {
    await run();
    clock.advance(dayMs);
  }
  t.match(await look(usual.secret), { state: 'passing', stale_after_s: 2 * 86_400 });
  t.match(await look(given.secret), { state: 'stale', message: 'stale', stale_after_s: 3600 });
  clock.advance(dayMs);
  t.match(await look(usual.secret), { state: 'stale' });
});

t.test('scenarios with the same title are numbered', async (t) => {
  const { control, create, run, look } = await open(t);
  await control.catalogue.write('app', 'RT-two', { text: createScenarioText('RT-two') }, ana);
  const { secret } = await create();
  await run();
  await run('RT-two', 'failed');
  t.match(await look(secret), {
    scenarios: [
      { title: 'GET document (2)', state: 'failing' },
      { title: 'GET document', state: 'passing' },
    ],
    failures: [{ scenario: 'GET document (2)' }],
  });
});

t.test('many readers at once cost one reading, and one write of the view', async (t) => {
  const { control, clock, create, run } = await open(t);
  const { secret } = await create();
  await run();
  let reads = 0;
  const { database } = control;
  const countedRead = database.read;
  t.teardown(() => Object.assign(database, { read: countedRead }));
  Object.assign(database, {
    read: (operation: Parameters<typeof countedRead>[0]) => {
      reads += 1;
      return countedRead(operation);
    },
  });
  await control.statusPages.findPublic(secret);
  const cost = reads;
  t.ok(cost > 0);
  reads = 0;
  await Promise.all(Array.from({ length: 500 }, () => control.statusPages.findPublic(secret)));
  t.equal(reads, 0);
  control.forgetCredentials();
  await control.statusPages.findPublic(secret);
  t.equal(reads, 0, 'nor does somebody who signs in cost one');
  const viewed = async () => (await control.statusPages.list('app'))[0]?.last_viewed_at;
  const viewedAt = await eventually(async () => (await viewed()) ?? undefined, { description: 'the view is stored' });
  clock.advance(60_000);
  await control.statusPages.findPublic(secret);
  t.equal(await viewed(), viewedAt, 'a view within ten minutes is not stored again');
});

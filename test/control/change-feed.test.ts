import t from 'tap';
import { loadCounters } from '../../src/store/control/counters.ts';
import { deleteRunBatch } from '../../src/store/control/instances/instance-removal.ts';
import { settleRestoredStore } from '../../src/store/control/settle-restored.ts';
import { skipOnPostgres } from '../store/engine-under-test.ts';
import { openTestControl, openTestControlWithApp } from './control-fixture.ts';
import { createScenarioText } from './report-fixture.ts';

const ana = { name: 'ana' };
const runRequest = { scenarios: [{ id: 'RT-GET-document' }] };

t.test('changes resume by sequence number and are merged per run', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const start = await control.changes.head();
  const [run] = await control.runs.request('app', runRequest, ana);
  await control.runs.cancel(run?.run_id ?? '');
  const { events, seq } = await control.changes.list(start, undefined, 100);
  t.match(events, [{ type: 'run', run: { state: 'cancelled' } }]);
  t.equal(events.length, 1);
  t.same(await control.changes.list(seq, undefined, 100), { events: [], seq });
});

t.test('a truncated page continues where it ended', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const start = await control.changes.head();
  await control.runs.request(
    'app',
    { scenarios: Array.from({ length: 5 }, () => runRequest.scenarios[0] ?? { id: '' }) },
    ana,
  );
  const runIds: string[] = [];
  let seq = start;
  for (let page = 0; page < 10; page += 1) {
    const next = await control.changes.list(seq, 'app', 2);
    for (const event of next.events) if (event.type === 'run') runIds.push(event.run.run_id);
    seq = next.seq;
  }
  t.equal(new Set(runIds).size, 5);
  t.equal(runIds.length, 5);
});

t.test('changes of scenarios, instances and removals are filtered by instance', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const start = await control.changes.head();
  await control.instances.create({ instance_id: 'other' }, ana);
  await control.catalogue.write('other', 'a', { text: createScenarioText('a') }, ana);
  await control.catalogue.remove('app', 'RT-GET-document', { name: 'owner' });
  const types = async (instance?: string) =>
    (await control.changes.list(start, instance, 100)).events.map((event) => event.type);
  t.same(await types(), ['instance', 'scenario', 'scenario']);
  t.same(await types('app'), ['scenario']);
  await control.instances.remove('other');
  t.same(await types('other'), ['gone']);
});

t.test('listeners are called after the commit', async (t) => {
  const { control } = await openTestControlWithApp(t);
  let commits = 0;
  const stop = control.changes.onCommit(() => {
    commits += 1;
  });
  await control.runs.request('app', runRequest, ana);
  t.equal(commits, 1);
  stop();
  await control.runs.request('app', runRequest, ana);
  t.equal(commits, 1);
});

t.test(
  'a number whose commit failed is not seen, and its successor after a restart is not missed',
  { skip: skipOnPostgres },
  async (t) => {
    const { control, clock, folder } = await openTestControlWithApp(t);
    const refuse = `CREATE TRIGGER refuse AFTER UPDATE ON runs BEGIN SELECT raise(ABORT, 'no'); END`;
    const [run] = await control.runs.request('app', runRequest, ana);
    await control.database.write((sql) => void sql.run(refuse));
    await t.rejects(control.runs.cancel(run?.run_id ?? ''));
    await control.database.write((sql) => void sql.run('DROP TRIGGER refuse'));
    const seen = await control.changes.head();
    t.equal((await control.changes.list(seen, undefined, 100)).seq, seen);
    await control.close();

    const { control: restarted } = await openTestControl(t, { folder, clock });
    await restarted.runs.cancel(run?.run_id ?? '');
    t.match((await restarted.changes.list(seen, undefined, 100)).events, [
      { type: 'run', run: { state: 'cancelled' } },
    ]);
  },
);

t.test('a position stays valid when the rows with the newest numbers are deleted before a restart', async (t) => {
  const { control, clock, folder } = await openTestControlWithApp(t);
  await control.instances.create({ instance_id: 'other' }, ana);
  await control.catalogue.write('other', 'a', { text: createScenarioText('a') }, ana);
  const runs = await control.runs.request('other', { scenarios: [{ id: 'a' }, { id: 'a' }, { id: 'a' }] }, ana);
  for (const { run_id: id } of runs) await control.runs.cancel(id);
  const seen = await control.changes.head();
  // As far as a removal comes that is killed after its runs are deleted.
  const counters = await control.database.read(loadCounters);
  await control.database.write((sql) => deleteRunBatch(sql, counters, 'other'));
  t.equal((await control.changes.list(seen, undefined, 100)).seq, seen);
  await control.close();

  const { control: restarted } = await openTestControl(t, { folder, clock });
  await restarted.instances.create({ instance_id: 'third' }, ana);
  t.match((await restarted.changes.list(seen, undefined, 100)).events, [{ type: 'instance' }]);
});

t.test('after a restore, streams that were ahead of the copy get what follows', { skip: skipOnPostgres }, async (t) => {
  const { control } = await openTestControlWithApp(t);
  const before = await control.changes.head();
  const counters = await control.database.read(loadCounters);
  const failure = { message: 'lost', cure: 'none' };
  await control.database.write((sql) => settleRestoredStore(sql, counters, 1, failure));
  const seenByLaterStreams = before + 1_000_000;
  t.match((await control.changes.list(seenByLaterStreams, undefined, 100)).events, [{ type: 'instance' }]);
});

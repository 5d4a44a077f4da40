import t from 'tap';
import { openTestControlWithApp } from './control-fixture.ts';
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
  await control.catalogue.remove('app', 'RT-GET-document');
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

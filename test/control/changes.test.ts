import t from 'tap';
import { aScenario } from './a-report.ts';
import { openedWithApp } from './opened.ts';

const ana = { name: 'ana' };
const one = { scenarios: [{ id: 'RT-GET-document' }] };

t.test('changes resume by number and are merged per run', async (t) => {
  const { control } = await openedWithApp(t);
  const start = await control.changes.head();
  const [run] = await control.runs.request('app', one, ana);
  await control.runs.cancel(run?.run_id ?? '');
  const { events, seq } = await control.changes.since(start, undefined, 100);
  t.match(events, [{ type: 'run', run: { state: 'cancelled' } }]);
  t.equal(events.length, 1);
  t.same(await control.changes.since(seq, undefined, 100), { events: [], seq });
});

t.test('a cut page goes on where it ended', async (t) => {
  const { control } = await openedWithApp(t);
  const start = await control.changes.head();
  await control.runs.request(
    'app',
    { scenarios: Array.from({ length: 5 }, () => one.scenarios[0] ?? { id: '' }) },
    ana,
  );
  const seen: string[] = [];
  let seq = start;
  for (let page = 0; page < 10; page += 1) {
    const next = await control.changes.since(seq, 'app', 2);
    for (const event of next.events) if (event.type === 'run') seen.push(event.run.run_id);
    seq = next.seq;
  }
  t.equal(new Set(seen).size, 5);
  t.equal(seen.length, 5);
});

t.test('scenarios, instances and removals are told, each to those who watch its instance', async (t) => {
  const { control } = await openedWithApp(t);
  const start = await control.changes.head();
  await control.instances.create({ instance_id: 'other' }, ana);
  await control.catalogue.write('other', 'a', { text: aScenario('a') }, ana);
  await control.catalogue.remove('app', 'RT-GET-document');
  const types = async (instance?: string) =>
    (await control.changes.since(start, instance, 100)).events.map((event) => event.type);
  t.same(await types(), ['instance', 'scenario', 'scenario']);
  t.same(await types('app'), ['scenario']);
  await control.instances.remove('other');
  t.same(await types('other'), ['gone']);
});

t.test('listeners are told after the commit', async (t) => {
  const { control } = await openedWithApp(t);
  let commits = 0;
  const stop = control.changes.onCommit(() => {
    commits += 1;
  });
  await control.runs.request('app', one, ana);
  t.equal(commits, 1);
  stop();
  await control.runs.request('app', one, ana);
  t.equal(commits, 1);
});

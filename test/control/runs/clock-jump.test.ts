/** A clock that jumps and comes back leaves no trace in what the control plane stores, and deletes nothing. */
import t from 'tap';
import { openTestControl, openTestControlWithApp } from '../control-fixture.ts';
import { createTestReport } from '../report-fixture.ts';

const dayMs = 86_400_000;
const ana = { name: 'ana' };
const runRequest = { scenarios: [{ id: 'RT-GET-document' }] };

t.test('a clock 500 days ahead, and back, changes no id, deletes nothing and forgets no idempotency key', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  const { epoch } = await port.hello(hello);
  const [first] = await control.runs.request('app', runRequest, ana, 'deploy-1');
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  if (!lease) return t.fail('no lease');
  const report = createTestReport(lease, 'app');
  await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });

  clock.jump(500 * dayMs);
  await control.retain();
  const [during] = await control.runs.request('app', runRequest, ana);
  t.match(control.gauges.findClockJump(), { byMs: 500 * dayMs, isFollowed: false });
  clock.jump(-500 * dayMs);
  clock.advance(10);
  await control.retain();
  const [after] = await control.runs.request('app', runRequest, ana);

  t.same(
    [first, during, after].map((run) => run?.run_id),
    ['20261120T143012345', '20261120T143012346', '20261120T143012355'],
  );
  t.match(await control.runs.get(lease.run_id), { report: { result: 'passed' }, report_expired: false });
  const [repeated] = await control.runs.request('app', runRequest, ana, 'deploy-1');
  t.equal(repeated?.run_id, first?.run_id, 'the idempotency key is still known');
  t.equal(control.gauges.findClockJump(), undefined);
});

t.test('a start with a clock that jumped deletes nothing until it has settled', async (t) => {
  const { control, clock, folder } = await openTestControlWithApp(t);
  const [first] = await control.runs.request('app', runRequest, ana, 'deploy-1');
  await control.close();
  clock.jump(60 * dayMs);
  const { control: restarted } = await openTestControl(t, { folder, clock });
  await restarted.retain();
  t.match(restarted.gauges.findClockJump(), { byMs: 60 * dayMs, isFollowed: true });
  const [repeated] = await restarted.runs.request('app', runRequest, ana, 'deploy-1');
  t.equal(repeated?.run_id, first?.run_id);
  clock.advance(dayMs + 1);
  await restarted.retain();
  const [forgotten] = await restarted.runs.request('app', runRequest, ana, 'deploy-1');
  t.not(forgotten?.run_id, first?.run_id, 'after a day of agreement');
});

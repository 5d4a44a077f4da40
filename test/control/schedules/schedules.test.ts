import { createHmac } from 'node:crypto';
import t from 'tap';
import type { OpenControl } from '../../../src/control/open-control.ts';
import { loadCounters } from '../../../src/store/control/counters.ts';
import { settleRestoredStore } from '../../../src/store/control/settle-restored.ts';
import type { FakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { openTestControl, openTestControlWithApp } from '../control-fixture.ts';
import { completeRun } from '../runs/run-history.ts';

const ana = { name: 'ana' };
const minuteMs = 60_000;
const hourMs = 3_600_000;

async function listOutcomes(control: OpenControl, schedule: string) {
  return (await control.schedules.get('app', schedule)).ticks.map(({ outcome }) => outcome).reverse();
}

async function findNextDueMs(control: OpenControl): Promise<number> {
  const row = await control.database.read((sql) => sql.get('SELECT min(due_at_ms) AS due FROM schedules'));
  return Number((row as { due: number }).due);
}

/** Lets time pass from one due tick to the next, each handled before time goes on, until `count` ticks were handled. */
async function passUntilTicks(control: OpenControl, clock: FakeClock, schedule: string, count: number): Promise<void> {
  while ((await control.schedules.get('app', schedule)).ticks.length < count) {
    clock.advance(Math.max(0, (await findNextDueMs(control)) - clock.nowMs()));
    await eventually(async () => {
      clock.advance(10);
      return (await findNextDueMs(control)) > clock.nowMs();
    });
  }
}

async function finishRuns(control: OpenControl): Promise<void> {
  await control.runs.cancelQueued('app');
}

t.test('a schedule requests its scenarios at each tick, and its runs name it', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const input = { schedule_id: 'quarterly', every: '15m', scenarios: ['RT-*'] };
  const { schedule } = await control.schedules.create('app', input, ana);
  t.match(schedule, { paused: false, matching_scenarios: 1, last_tick: null, source: 'person', created_by: 'ana' });
  t.same(schedule.next.slice(0, 2), ['2026-11-20T14:45:00.000Z', '2026-11-20T15:00:00.000Z']);
  t.equal(schedule.next.length, 5);
  await passUntilTicks(control, clock, 'quarterly', 1);
  const [run] = (await control.runs.list({ instance: 'app' }, { limit: 5 })).items;
  t.match(run, { schedule: 'quarterly', requested_by: 'schedule quarterly', scenario_id: 'RT-GET-document' });
  const { ticks } = await control.schedules.get('app', 'quarterly');
  t.match(ticks, [{ due_at: '2026-11-20T14:45:00.000Z', outcome: 'requested', note: null, run_ids: [run?.run_id] }]);
});

t.test('nothing is requested while runs of the tick before are not over, unless the schedule says so', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await control.schedules.create('app', { schedule_id: 'careful', every: '15m' }, ana);
  await control.schedules.create('app', { schedule_id: 'eager', every: '15m', skip_if_running: false }, ana);
  await passUntilTicks(control, clock, 'careful', 2);
  await passUntilTicks(control, clock, 'eager', 2);
  t.same(await listOutcomes(control, 'careful'), ['requested', 'skipped']);
  t.same((await listOutcomes(control, 'eager')).slice(0, 2), ['requested', 'requested']);
  await finishRuns(control);
  const before = (await listOutcomes(control, 'careful')).length;
  await passUntilTicks(control, clock, 'careful', before + 1);
  t.equal((await listOutcomes(control, 'careful')).at(-1), 'requested');
});

t.test('a paused schedule requests nothing, and does not make up for it', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await control.schedules.create('app', { schedule_id: 'hourly', cron: '0 * * * *' }, ana);
  await control.schedules.create('app', { schedule_id: 'other', cron: '0 * * * *', skip_if_running: false }, ana);
  t.match(await control.schedules.setPaused('app', 'hourly', true, ana), { paused: true, paused_by: 'ana', next: [] });
  await passUntilTicks(control, clock, 'other', 3);
  t.same(await listOutcomes(control, 'hourly'), []);
  const resumed = await control.schedules.setPaused('app', 'hourly', false, ana);
  t.match(resumed, { paused: false, paused_by: null });
  t.ok(Date.parse(resumed.next[0] ?? '') > clock.nowMs());
  await passUntilTicks(control, clock, 'hourly', 1);
  t.same(await listOutcomes(control, 'hourly'), ['requested']);
});

t.test('ticks that passed while nothing ran are one late request with a note, or none', async (t) => {
  const { control: before, clock, folder } = await openTestControlWithApp(t);
  await before.schedules.create('app', { schedule_id: 'once', every: '15m' }, ana);
  await before.schedules.create('app', { schedule_id: 'never', every: '15m', missed: 'skip' }, ana);
  await before.schedules.create('app', { schedule_id: 'minutely', cron: '* * * * *' }, ana);
  await before.close();
  // Shortly after a tick of 15 minutes is still on time; five minutes are late.
  clock.advance(5 * hourMs + 5 * minuteMs);
  const { control } = await openTestControl(t, { folder, clock });
  await eventually(async () => (await listOutcomes(control, 'never')).length === 2);
  await eventually(async () => (await listOutcomes(control, 'once')).length === 2);
  await eventually(async () => (await listOutcomes(control, 'minutely')).length === 2);
  const { ticks } = await control.schedules.get('app', 'once');
  t.match(ticks.map(({ outcome, due_at, note }) => [outcome, due_at, note]).sort(), [
    ['missed', '2026-11-20T14:45:00.000Z', /^19 ticks were missed from 2026-11-20T14:45:00.000Z on/],
    ['requested_late', '2026-11-20T19:30:00.000Z', /requested late, because the control plane did not run at/],
  ]);
  t.same(await listOutcomes(control, 'never'), ['missed', 'missed']);
  t.same((await listOutcomes(control, 'minutely')).sort(), ['missed', 'requested'], 'the newest tick is on time');
  t.equal((await control.runs.list({ instance: 'app' }, { limit: 50 })).items.length, 2);
});

t.test('after a restore nothing is made up for: what the copy does not know may have been requested', async (t) => {
  const { control: before, clock, folder } = await openTestControlWithApp(t);
  await before.schedules.create('app', { schedule_id: 'quarterly', every: '15m' }, ana);
  const failure = { message: '', cure: '' };
  await before.database.write((sql) => settleRestoredStore(sql, loadCounters(sql), clock.nowMs(), failure));
  await before.close();
  clock.advance(5 * hourMs + 5 * minuteMs);
  const { control } = await openTestControl(t, { folder, clock });
  await eventually(async () => (await findNextDueMs(control)) > clock.nowMs());
  await passUntilTicks(control, clock, 'quarterly', 1);
  t.match((await control.schedules.get('app', 'quarterly')).ticks, [
    { outcome: 'requested', due_at: '2026-11-20T19:45:00.000Z' },
  ]);
});

t.test('after weeks the newest tick is found, and the others are not counted one by one', async (t) => {
  const { control: before, clock, folder } = await openTestControlWithApp(t);
  await before.schedules.create('app', { schedule_id: 'minutely', cron: '* * * * *' }, ana);
  await before.close();
  clock.advance(20 * 24 * hourMs);
  const { control } = await openTestControl(t, { folder, clock });
  await eventually(async () => (await listOutcomes(control, 'minutely')).length === 2);
  const { ticks } = await control.schedules.get('app', 'minutely');
  const missed = ticks.find(({ outcome }) => outcome === 'missed');
  t.match(missed?.note, /^at least 1000 ticks were missed from 2026-11-20T14:31:00.000Z on/);
  const requested = ticks.find(({ outcome }) => outcome === 'requested');
  t.equal(requested?.due_at, '2026-12-10T14:30:00.000Z');
});

t.test('a tick without a matching scenario says so', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await control.schedules.create('app', { schedule_id: 'empty', every: '15m', tags: ['none'] }, ana);
  await passUntilTicks(control, clock, 'empty', 1);
  const { ticks } = await control.schedules.get('app', 'empty');
  t.match(ticks, [{ outcome: 'failed', note: 'no scenario of the catalogue matches', run_ids: [] }]);
});

t.test('a tick names what its schedule selects and the catalogue does not have', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const scenarios = ['RT-GET-*', 'RT-GET-old', 'RT-PUT-*'];
  const input = { schedule_id: 'nightly', every: '15m', scenarios, tags: ['smok'] };
  const { schedule } = await control.schedules.create('app', input, ana);
  const unmatched = ['RT-GET-old', 'RT-PUT-*', 'tag smok'];
  t.match(schedule, { matching_scenarios: 1, unmatched });
  await passUntilTicks(control, clock, 'nightly', 1);
  t.match((await control.schedules.list('app'))[0], {
    unmatched,
    last_tick: {
      outcome: 'requested',
      note: 'no scenario of the catalogue matches RT-GET-old, RT-PUT-*, tag smok',
      run_ids: [/./],
    },
  });
});

t.test('jitter moves a request by the same time after every restart', async (t) => {
  const { control, clock, folder } = await openTestControlWithApp(t);
  await control.schedules.create('app', { schedule_id: 'spread', cron: '0 * * * *', jitter_s: 600 }, ana);
  const readDue = (open: OpenControl) =>
    open.database.read((sql) => sql.get("SELECT tick_at_ms, due_at_ms FROM schedules WHERE id = 'spread'"));
  const before = await readDue(control);
  await control.close();
  const { control: after } = await openTestControl(t, { folder, clock });
  t.same(await readDue(after), before);
  await after.schedules.setPaused('app', 'spread', true, ana);
  await after.schedules.setPaused('app', 'spread', false, ana);
  t.same(await readDue(after), before);
});

t.test('an edit of what is requested does not skip a tick, and one of the times is followed', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  await control.schedules.create('app', { schedule_id: 'nightly', cron: '0 2 * * *', time_zone: 'Europe/Berlin' }, ana);
  const edited = { cron: '0 2 * * *', time_zone: 'Europe/Berlin', tags: ['slow'], description: 'all that is slow' };
  t.match(await control.schedules.change('app', 'nightly', edited, { name: 'bo' }), {
    ...{ next: ['2026-11-21T01:00:00.000Z'], matching_scenarios: 0, updated_by: 'bo', created_by: 'ana' },
  });
  t.match(await control.schedules.change('app', 'nightly', { every: '1h' }, ana), {
    next: ['2026-11-20T15:00:00.000Z'],
  });
  await passUntilTicks(control, clock, 'nightly', 1);
  t.same(await listOutcomes(control, 'nightly'), ['requested']);
});

t.test('a file decides about its own schedules only', async (t) => {
  const { control } = await openTestControlWithApp(t);
  await control.schedules.create('app', { schedule_id: 'mine', every: '1h' }, ana);
  const nightly = { schedule_id: 'nightly', cron: '0 2 * * *' };
  const weekly = { schedule_id: 'weekly', cron: '0 3 * * 1' };
  const push = async (...entries: (typeof nightly)[]) =>
    (await control.schedules.import('app', entries, ana)).schedules.map(({ schedule_id: id, outcome }) => [
      id,
      outcome,
    ]);
  t.same(await push(nightly, weekly), [
    ['nightly', 'created'],
    ['weekly', 'created'],
  ]);
  await control.schedules.setPaused('app', 'nightly', true, ana);
  t.same(await push({ ...nightly, cron: '30 2 * * *' }), [
    ['nightly', 'updated'],
    ['weekly', 'removed'],
  ]);
  t.match(await control.schedules.get('app', 'nightly'), { source: 'file', paused: true }, 'a pause stays');
  t.same(await push({ ...nightly, cron: '30 2 * * *' }), [['nightly', 'unchanged']]);
  await t.rejects(control.schedules.change('app', 'nightly', { every: '1h' }, ana), { code: 'SCHEDULE_FROM_FILE' });
  await t.rejects(control.schedules.remove('app', 'nightly'), { code: 'SCHEDULE_FROM_FILE' });
  await t.rejects(push({ schedule_id: 'mine', cron: '0 1 * * *' }), { code: 'SCHEDULE_ID_TAKEN' });
  await t.rejects(push(nightly, nightly), { code: 'SCHEDULE_INVALID' });
  const deploy = { schedule_id: 'deploy', on: 'webhook' as const };
  await t.rejects(control.schedules.import('app', [deploy], ana), { message: /no file should have/ });
  t.same(
    (await control.schedules.list('app')).map(({ schedule_id: id }) => id),
    ['mine', 'nightly'],
  );
});

t.test('what cannot be a schedule is refused', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const create = (definition: object) => control.schedules.create('app', { schedule_id: 'x', ...definition }, ana);
  await t.rejects(create({ cron: '0 0 30 2 *' }), { code: 'SCHEDULE_INVALID', message: /never due/ });
  await t.rejects(create({ every: '15m', jitter_s: 900 }), { code: 'SCHEDULE_INVALID', message: /jitter_s/ });
  await t.rejects(create({ on: 'webhook', cron: '* * * * *' }), { code: 'SCHEDULE_INVALID', message: /on: webhook/ });
  await t.rejects(create({}), { code: 'SCHEDULE_INVALID' });
  await t.rejects(control.schedules.get('app', 'x'), { code: 'SCHEDULE_UNKNOWN' });
  await t.rejects(control.schedules.list('none'), { code: 'INSTANCE_UNKNOWN' });
  await control.schedules.create('app', { schedule_id: 'x', every: '1h' }, ana);
  await t.rejects(create({ every: '1h' }), { code: 'SCHEDULE_ID_TAKEN' });
  await t.rejects(control.schedules.change('app', 'x', { on: 'webhook' }, ana), { code: 'SCHEDULE_INVALID' });
  await control.schedules.remove('app', 'x');
  t.same(await control.schedules.list('app'), []);
});

t.test('a signed webhook requests once, with the version that it names', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const { webhook_secret: text = '' } = await control.schedules.create(
    'app',
    { schedule_id: 'deploy', on: 'webhook' },
    ana,
  );
  t.match(text, /^whsec_/);
  t.notMatch(JSON.stringify(await control.schedules.get('app', 'deploy')), text.slice(6));
  const secret = Buffer.from(text.slice(6), 'base64');
  const sign = (id: string, body: string, atMs = clock.nowMs(), key: Uint8Array = secret) => {
    const timestamp = String(Math.floor(atMs / 1000));
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return { id, timestamp, signature: `v1,AAAA v1,${signature}`, body };
  };
  const send = (message: ReturnType<typeof sign>, schedule = 'deploy') =>
    control.schedules.receiveWebhook('app', schedule, message);
  const message = sign('msg_1', '{"target_version":"4f2c9e1"}');
  const { run_ids: ids, outcome } = await send(message);
  t.match([outcome, ids.length], ['requested', 1]);
  t.match(await control.runs.get(ids[0] ?? ''), { target_version: '4f2c9e1', schedule: 'deploy' });
  await t.rejects(send(message), { code: 'SCHEDULE_WEBHOOK_REPEATED' });
  const refused = { code: 'SCHEDULE_WEBHOOK_REFUSED' };
  await t.rejects(send({ ...sign('msg_2', '{}'), body: '{"target_version":"x"}' }), refused, 'changed body');
  await t.rejects(send(sign('msg_3', '', clock.nowMs() - 6 * minuteMs)), refused, 'old');
  await t.rejects(send(sign('msg_4', '', clock.nowMs() + 6 * minuteMs)), refused, 'from the future');
  await t.rejects(send(sign('msg_5', '', clock.nowMs(), Buffer.alloc(32))), refused, 'another secret');
  await t.rejects(send(sign('msg_6', ''), 'none'), refused, 'the same for a schedule that is not there');
  await t.rejects(send({ ...sign('msg_7', ''), id: 'msg 7' }), refused);
  await t.rejects(send(sign('msg_8', '[]')), { code: 'REQUEST_INVALID' });
  t.equal((await send(sign('msg_9', ''))).outcome, 'requested', 'runs of an earlier deployment do not hide this one');
  await control.schedules.setPaused('app', 'deploy', true, ana);
  const unused = { code: 'SCHEDULE_NOTHING_REQUESTED' };
  await t.rejects(send(sign('msg_10', '')), { ...unused, message: /the schedule is paused/ });
  await control.schedules.setPaused('app', 'deploy', false, ana);
  await control.schedules.change('app', 'deploy', { on: 'webhook', tags: ['none'] }, ana);
  clock.advance(1);
  await t.rejects(send(sign('msg_10', '')), { ...unused, message: /no scenario of the catalogue matches/ });
  await control.schedules.change('app', 'deploy', { on: 'webhook' }, ana);
  t.equal((await send(sign('msg_10', ''))).outcome, 'requested', 'its id was not used up');
  await t.rejects(send(sign('msg_10', '')), { code: 'SCHEDULE_WEBHOOK_REPEATED' });
  t.same((await listOutcomes(control, 'deploy')).sort(), ['failed', ...Array(3).fill('requested'), 'skipped']);
});

t.test('a new version of the target, seen in any run, requests once', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const run = (version: string) => completeRun(control, { version, nowMs: clock.nowMs() });
  await run('1.0');
  await control.schedules.create('app', { schedule_id: 'changed', on: 'new_version' }, ana);
  const pass = () => {
    clock.advance(6_000);
    return new Promise((resolve) => setImmediate(resolve));
  };
  await run('1.0');
  for (let count = 0; count < 5; count += 1) await pass();
  t.same(await listOutcomes(control, 'changed'), []);
  const version = await run('1.1');
  await eventually(async () => {
    await pass();
    return (await listOutcomes(control, 'changed')).length === 1;
  });
  for (let count = 0; count < 5; count += 1) await pass();
  t.match((await control.schedules.get('app', 'changed')).ticks, [{ outcome: 'requested', run_ids: [/\d/] }]);
  t.not((await control.schedules.get('app', 'changed')).ticks[0]?.run_ids[0], version);
});

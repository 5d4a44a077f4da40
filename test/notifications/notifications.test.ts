import { createHmac } from 'node:crypto';
import t from 'tap';
import { loadCounters } from '../../src/store/control/counters.ts';
import { settleRestoredStore } from '../../src/store/control/settle-restored.ts';
import { createScenarioText } from '../control/report-fixture.ts';
import { completeRun } from '../control/runs/run-history.ts';
import { ana, openTestNotifications, startReceiver } from './notification-fixture.ts';

// Most of each is waiting for messages, between a clock and a store of its own.
t.jobs = 4;

const webhook = { channel: 'ops', kind: 'webhook' } as const;

t.test('a webhook is sent each change of state once, signed, and nothing in between', async (t) => {
  const receiver = await startReceiver(t);
  const { control, notifications, pass, errors } = await openTestNotifications(t);
  await completeRun(control, { result: 'failed' });
  const created = await notifications.create({ ...webhook, url: receiver.url }, ana);
  t.match(created.channel, {
    channel: 'ops',
    destination: new URL(receiver.url).origin,
    pending: 0,
    created_by: 'ana',
  });
  for (const result of ['failed', 'passed', 'passed', 'failed', 'failed'] as const)
    await completeRun(control, { result });
  await pass(() => receiver.requests.length >= 2, 'two changes');
  t.same(
    receiver.requests.map(({ body }) => body.type),
    ['notification.recovered', 'notification.newly_failing'],
    'what happened before the channel is not sent',
  );
  const [first, second] = receiver.requests;
  t.match(second?.body.data, {
    ...{ event: 'newly_failing', instance: 'app', scenario_id: 'RT-GET-document' },
    title: 'RT-GET-document fails in app',
    url: new RegExp(`^https://vp.example/runs/${second?.body.data.run_id}$`),
  });
  const secret = Buffer.from((created.secret ?? '').slice('whsec_'.length), 'base64');
  const id = first?.headers['webhook-id'];
  const signed = `${id}.${first?.headers['webhook-timestamp']}.${first?.text}`;
  const signature = createHmac('sha256', secret).update(signed).digest('base64');
  t.equal(first?.headers['webhook-signature'], `v1,${signature}`);
  await pass(async () => (await notifications.list())[0]?.pending === 0, 'both are noted as sent');
  const { items } = await notifications.listDeliveries({}, { limit: 10 });
  t.match(items, [
    { event: 'newly_failing', state: 'sent', attempts: 1, channel: 'ops', instance: 'app', problem: null },
    { event: 'recovered', state: 'sent', attempts: 1, message_id: id },
  ]);
  t.same(errors, []);
});

t.test('a message that was not accepted is sent again with the same id and body, later each time', async (t) => {
  const receiver = await startReceiver(t);
  const { control, notifications, pass } = await openTestNotifications(t);
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  receiver.respondWith(503);
  await completeRun(control, { result: 'failed' });
  await pass(() => receiver.requests.length === 1, 'the first attempt');
  await pass(
    async () =>
      (await notifications.listDeliveries({ state: 'pending' }, { limit: 1 })).items[0]?.problem === 'it answered 503',
    'the reason is in the log',
  );
  receiver.respondWith(0);
  await pass(() => receiver.requests.length === 2, 'the second attempt', 500);
  receiver.respondWith(200);
  await pass(() => receiver.requests.length === 3, 'the third attempt', 500);
  await pass(async () => (await notifications.list())[0]?.pending === 0, 'it is sent');
  t.equal(new Set(receiver.requests.map(({ text }) => text)).size, 1);
  t.equal(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size, 1);
  t.match((await notifications.listDeliveries({}, { limit: 5 })).items, [{ state: 'sent', attempts: 3 }]);
});

t.test('a message that is never accepted is given up, and can be sent again', async (t) => {
  const receiver = await startReceiver(t);
  const settings = { giveUpAfterMs: 60_000, backoff: { initialMs: 5_000, maxMs: 20_000 } };
  const { control, notifications, pass } = await openTestNotifications(t, settings);
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  receiver.respondWith(500);
  await completeRun(control, { result: 'failed' });
  await pass(async () => (await notifications.list())[0]?.failed === 1, 'it is given up', 1000);
  const [delivery] = (await notifications.listDeliveries({ state: 'failed' }, { limit: 5 })).items;
  t.match(delivery, { state: 'failed', next_attempt_at: null, problem: 'it answered 500' });
  receiver.respondWith(200);
  const attempts = receiver.requests.length;
  await notifications.retry('ops', delivery?.id ?? '');
  await pass(() => receiver.requests.length === attempts + 1, 'it is sent again');
  t.equal(receiver.requests.at(-1)?.headers['webhook-id'], receiver.requests[0]?.headers['webhook-id']);
  await t.rejects(notifications.retry('ops', 'ntf_none'), { code: 'NOTIFICATION_DELIVERY_UNKNOWN' });
});

t.test('a receiver that asks for a pause gets it', async (t) => {
  const receiver = await startReceiver(t);
  const { control, clock, notifications, pass } = await openTestNotifications(t);
  await notifications.create({ channel: 'team', kind: 'slack', url: receiver.url }, ana);
  receiver.respondWith(429, { 'retry-after': '120' });
  await completeRun(control, { result: 'failed' });
  await pass(() => receiver.requests.length === 1, 'the first attempt');
  const firstMs = clock.nowMs();
  receiver.respondWith(200);
  await pass(() => receiver.requests.length === 2, 'the second attempt', 5000);
  t.ok(clock.nowMs() - firstMs >= 119_000, 'two minutes later');
});

t.test('changes of a scenario are routed by its owner, and messages name the owner', async (t) => {
  const receiver = await startReceiver(t);
  const { control, notifications, pass } = await openTestNotifications(t);
  const create = (channel: string, owners: string[]) =>
    notifications.create({ channel, kind: 'webhook', url: receiver.url, owners }, ana);
  t.match((await create('checkout', ['checkout team', 'search'])).channel, {
    unknown_owners: ['checkout team', 'search'],
  });
  await create('search', ['search']);
  await completeRun(control, { result: 'failed' });
  await completeRun(control, { result: 'passed' });
  const text = createScenarioText().replace('- Tags: http', '- Tags: http\n- Owner: checkout team');
  await control.catalogue.write('app', 'RT-GET-document', { text }, ana);
  await completeRun(control, { result: 'failed' });
  await pass(async () => receiver.requests.length === 1, 'one message');
  t.match(receiver.requests[0]?.body.data, { scenario_id: 'RT-GET-document', owner: 'checkout team' });
  const { items } = await notifications.listDeliveries({}, { limit: 10 });
  t.same(
    items.map(({ channel, event }) => `${channel} ${event}`),
    ['checkout newly_failing'],
  );
});

t.test('changes are routed by event, instance and tag', async (t) => {
  const receiver = await startReceiver(t);
  const { control, notifications, pass } = await openTestNotifications(t);
  const create = (channel: string, routing: object) =>
    notifications.create({ channel, kind: 'webhook', url: receiver.url, ...routing }, ana);
  await create('recovered', { events: ['recovered'] });
  await create('elsewhere', { instances: ['other'] });
  await create('untagged', { tags: ['no-such-tag'] });
  await create('everything', {});
  await completeRun(control, { result: 'failed' });
  await completeRun(control, { result: 'passed' });
  await pass(async () => receiver.requests.length === 3, 'three messages');
  const { items } = await notifications.listDeliveries({}, { limit: 10 });
  t.same(items.map(({ channel, event }) => `${channel} ${event}`).sort(), [
    'everything newly_failing',
    'everything recovered',
    'recovered recovered',
  ]);
  t.equal(
    new Set(items.filter(({ event }) => event === 'recovered').map(({ id }) => id)).size,
    1,
    'one id of a change',
  );
});

t.test('a digest and quiet hours collect changes into one message', async (t) => {
  const receiver = await startReceiver(t);
  const { control, clock, notifications, pass } = await openTestNotifications(t);
  const quiet = { from: '14:00', to: '16:00', time_zone: 'UTC' };
  await notifications.create({ ...webhook, url: receiver.url, digest_minutes: 10, quiet_hours: quiet }, ana);
  for (const result of ['failed', 'passed', 'failed'] as const) await completeRun(control, { result });
  await pass(async () => (await notifications.list())[0]?.pending === 3, 'three changes wait');
  t.match((await notifications.listDeliveries({}, { limit: 1 })).items, [
    { next_attempt_at: '2026-11-20T16:00:00.000Z' },
  ]);
  clock.advance(Date.UTC(2026, 10, 20, 15, 59) - clock.nowMs());
  t.same(receiver.requests, []);
  await pass(() => receiver.requests.length === 1, 'one message', 1000);
  t.match(receiver.requests[0]?.body, {
    type: 'notification.digest',
    data: { changes: [{ event: 'newly_failing' }, { event: 'recovered' }, { event: 'newly_failing' }] },
  });
  await pass(async () => (await notifications.list())[0]?.pending === 0, 'all are sent');
  const routing = { quiet_hours: { ...quiet, from: '17:00', to: '18:00' } };
  t.match(await notifications.change('ops', routing, ana), { routing, updated_by: 'ana' });
  await completeRun(control, { result: 'passed' });
  await pass(() => receiver.requests.length === 2, 'outside of quiet hours, at once');
});

t.test('many changes at one moment are one message', async (t) => {
  const receiver = await startReceiver(t);
  const { control, notifications, pass, reopen } = await openTestNotifications(t);
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  await notifications.close();
  for (let index = 0; index < 8; index += 1)
    await completeRun(control, { result: index % 2 === 0 ? 'failed' : 'passed', version: `v${index}` });
  const second = await reopen();
  await pass(
    async () => (await second.listDeliveries({ state: 'sent' }, { limit: 9 })).items.length === 8,
    'all are sent',
  );
  t.equal(receiver.requests.length, 1);
  t.equal(receiver.requests[0]?.body.data.changes.length, 8);
});

t.test('what happened while nothing ran is sent after the next start, once', async (t) => {
  const receiver = await startReceiver(t);
  const { control, notifications, pass, reopen } = await openTestNotifications(t);
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  await notifications.close();
  for (const result of ['failed', 'passed', 'failed', 'passed', 'failed', 'passed', 'failed'] as const)
    await completeRun(control, { result });
  const second = await reopen();
  const isSent = async (): Promise<boolean> => (await second.list())[0]?.pending === 0;
  // The first may be sent before the last runs are looked at.
  await pass(async () => receiver.requests.length >= 4 && (await isSent()), 'everything is sent');
  const changes = receiver.requests.flatMap(({ body }) => body.data.changes ?? [body.data]);
  t.equal(changes.length, 4, 'one failure, one recovery, then flaky, and three in a row are needed');
  t.equal(receiver.requests.length, 4);
});

t.test('a lost executor is one change, however many runs it loses', async (t) => {
  const receiver = await startReceiver(t);
  const { control, clock, notifications, pass } = await openTestNotifications(t, { awayAfterMs: 60_000 });
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  const hello = { protocol: 1, executor_version: '0', store_id: 'one', started: [], finished: [], target: '' };
  const port = control.executorPort('app');
  for (let count = 0; count < 2; count += 1) {
    await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, ana);
    const { epoch } = await port.hello({ ...hello, store_id: `store-${count}` });
    const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
    if (!lease) throw new Error('no lease');
    clock.advance(31_000);
    await pass(async () => (await control.instances.list())[0]?.running === null, 'the lease has ended');
  }
  await pass(() => receiver.requests.length === 1, 'a message');
  t.match(receiver.requests[0]?.body, {
    type: 'notification.executor_lost',
    data: { title: 'The executor of app was lost during a run', instance: 'app' },
  });
  await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, ana);
  await pass(() => receiver.requests.length === 2, 'runs wait for an executor that is away', 1000);
  t.match(receiver.requests[1]?.body.data, { title: 'The executor of app is away', text: 'A run waits for it.' });
  clock.advance(120_000);
  await pass(async () => (await notifications.listDeliveries({}, { limit: 9 })).items.length === 2, 'and no more');
});

t.test('an absence is one change, whichever runs wait during it, and the next absence is another', async (t) => {
  const receiver = await startReceiver(t);
  const { control, clock, notifications, pass, reopen } = await openTestNotifications(t, { awayAfterMs: 60_000 });
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  const request = async () => (await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, ana))[0];
  const listTitles = async ({ listDeliveries } = notifications) =>
    (await listDeliveries({}, { limit: 9 })).items.map(({ title }) => title);
  await completeRun(control);
  clock.advance(120_000);
  const first = await request();
  await request();
  await pass(() => receiver.requests.length === 1, 'the executor is away', 1000);
  t.match(receiver.requests[0]?.body.data, { text: /^2 runs wait/ });
  await control.runs.cancel(first?.run_id ?? '');
  const deadlineMs = clock.monotonicMs() + 120_000;
  await pass(() => clock.monotonicMs() > deadlineMs, 'time for another change', 10_000);
  t.equal((await listTitles()).length, 1, 'the oldest run that waits is another one now');
  const other = await reopen();
  await pass(() => clock.monotonicMs() > deadlineMs + 120_000, 'time in another process', 10_000);
  t.equal((await listTitles(other)).length, 1);
  const hello = { protocol: 1, executor_version: '0', store_id: 'one', started: [], finished: [], target: '' };
  await control.executorPort('app').hello(hello);
  await pass(() => receiver.requests.length === 2, 'it was there, and is away again', 1000);
  t.same(await listTitles(other), Array(2).fill('The executor of app is away'));
});

t.test('an executor that stays away writes nothing, and a channel that is new hears of it', async (t) => {
  const receiver = await startReceiver(t);
  const { control, clock, notifications, pass } = await openTestNotifications(t, { awayAfterMs: 60_000 });
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  await completeRun(control, { result: 'passed' });
  clock.advance(120_000);
  await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, ana);
  await pass(async () => receiver.requests.length === 1, 'the executor is away', 1000);
  await pass(async () => (await notifications.list())[0]?.pending === 0, 'it is sent');
  let commits = 0;
  t.teardown(control.database.onCommit(() => (commits += 1)));
  for (let look = 0; look < 100; look += 1) {
    clock.advance(400);
    await new Promise(setImmediate);
    await control.database.read((sql) => sql.get('SELECT 1 AS one'));
  }
  t.ok(commits < 5, `${commits} commits in 40 seconds`);
  await notifications.create({ ...webhook, channel: 'later', url: receiver.url }, ana);
  await pass(() => receiver.requests.length === 2, 'the new channel gets it', 1000);
});

t.test('a channel of the name of a removed one has nothing of it', async (t) => {
  const receiver = await startReceiver(t);
  const settings = { giveUpAfterMs: 1_000, backoff: { initialMs: 10, maxMs: 300 } };
  const { control, notifications, pass } = await openTestNotifications(t, settings);
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  receiver.respondWith(500);
  await completeRun(control, { result: 'failed' });
  await pass(async () => (await notifications.list())[0]?.failed === 1, 'it is given up', 200);
  const [delivery] = (await notifications.listDeliveries({}, { limit: 1 })).items;
  await notifications.remove('ops');
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  t.match(await notifications.list(), [{ failed: 0, pending: 0 }]);
  await t.rejects(notifications.retry('ops', delivery?.id ?? ''), { code: 'NOTIFICATION_DELIVERY_UNKNOWN' });
  t.match((await notifications.listDeliveries({}, { limit: 1 })).items, [
    { state: 'dropped', problem: 'it answered 500' },
  ]);
});

t.test('a schedule whose ticks are missed or have no scenario is one change', async (t) => {
  const receiver = await startReceiver(t);
  const { control, notifications, pass } = await openTestNotifications(t);
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  await control.schedules.create('app', { schedule_id: 'empty', every: '1m', tags: ['none'] }, ana);
  await pass(async () => (await control.schedules.get('app', 'empty')).ticks.length >= 3, 'three ticks', 1000);
  await pass(() => receiver.requests.length === 1, 'one message');
  t.match(receiver.requests[0]?.body, {
    type: 'notification.schedule_missed',
    data: {
      title: 'Schedule empty of app did not run',
      text: 'no scenario of the catalogue matches',
      url: 'https://vp.example/instances/app/schedules',
    },
  });
  t.equal((await notifications.listDeliveries({}, { limit: 9 })).items.length, 1);
});

t.test('after a restore, what was ended by it is no news, and what waits is sent', async (t) => {
  const receiver = await startReceiver(t);
  const { control, clock, notifications, pass, reopen } = await openTestNotifications(t);
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  await notifications.close();
  await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, ana);
  const port = control.executorPort('app');
  const hello = { protocol: 1, executor_version: '0', store_id: 'one', started: [], finished: [], target: '' };
  const { epoch } = await port.hello(hello);
  await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  await control.database.write((sql) =>
    settleRestoredStore(sql, loadCounters(sql), clock.nowMs(), { message: 'restored', cure: 'run again' }),
  );
  const second = await reopen();
  await pass(async () => {
    const row = await control.database.read((sql) => sql.get('SELECT seq FROM notification_position'));
    return row !== undefined;
  }, 'it begins with the present');
  t.same((await second.listDeliveries({}, { limit: 5 })).items, []);
});

t.test('the log of deliveries is deleted by age, and what waits is not', async (t) => {
  const receiver = await startReceiver(t);
  const { control, clock, notifications, pass } = await openTestNotifications(t);
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  await notifications.create({ channel: 'later', kind: 'webhook', url: receiver.url }, ana);
  await completeRun(control, { result: 'failed' });
  await pass(
    async () => (await notifications.listDeliveries({ state: 'sent' }, { limit: 5 })).items.length === 2,
    'both',
  );
  await notifications.close();
  await control.database.write((sql) =>
    sql.execute("UPDATE notification_deliveries SET state = 'pending' WHERE channel_id = 'later'"),
  );
  clock.advance(91 * 86_400_000);
  await control.retain();
  const states = await control.database.read((sql) => sql.all('SELECT state FROM notification_deliveries'));
  t.same(states, [{ state: 'pending' }]);
});

t.test('two processes at once, as while the active replica changes, send each message once', async (t) => {
  const receiver = await startReceiver(t);
  const { control, notifications, open, pass } = await openTestNotifications(t);
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  const other = open();
  t.teardown(() => other.close());
  for (let index = 0; index < 6; index += 1) {
    await completeRun(control, { result: index % 2 === 0 ? 'failed' : 'passed', version: `v${index}` });
    const count = index + 1;
    await pass(
      async () => (await other.listDeliveries({ state: 'sent' }, { limit: 9 })).items.length === count,
      `change ${count} is sent`,
    );
  }
  t.equal(receiver.requests.length, 6);
});

t.test('nothing is sent of a scenario in quarantine, and one that fails after it is newly failing', async (t) => {
  const receiver = await startReceiver(t);
  const { control, clock, notifications, pass } = await openTestNotifications(t);
  await completeRun(control);
  await notifications.create({ ...webhook, url: receiver.url }, ana);
  const until = new Date(clock.nowMs() + 3_600_000).toISOString();
  await control.quarantines.set('app', 'RT-GET-document', { until, reason: 'flaky' }, ana);
  for (const result of ['failed', 'passed', 'failed', 'failed'] as const) await completeRun(control, { result });
  clock.advance(3_600_001);
  const after = await completeRun(control, { result: 'failed' });
  await pass(() => receiver.requests.length >= 1, 'the first failure that counts');
  await pass(async () => (await notifications.list())[0]?.pending === 0, 'it is sent');
  t.match(
    receiver.requests.map(({ body }) => body),
    [{ type: 'notification.newly_failing', data: { run_id: after } }],
  );
});

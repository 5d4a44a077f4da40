import { createHmac } from 'node:crypto';
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { createScenarioText } from '../../control/report-fixture.ts';
import { origin, startTestServer } from '../test-server.ts';

const path = '/api/v1/instances/app/schedules';

t.test('schedules are created, listed, changed, paused and removed over the API', async (t) => {
  const api = await startTestServer(t);
  await api.control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await api.control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, { name: 'owner' });
  const json = async (...call: Parameters<typeof api.ask>) => (await api.ask(...call)).json();
  const nightly = { schedule_id: 'nightly', cron: '0 2 * * *', time_zone: 'Europe/Berlin' };
  const created = await api.ask('POST', path, nightly);
  t.equal(created.status, 201);
  t.match(await created.json(), { schedule: { schedule_id: 'nightly', next: { length: 5 }, ticks: [] } });
  t.match(await json('POST', path, nightly), { code: 'SCHEDULE_ID_TAKEN' });
  t.match(await json('POST', path, { ...nightly, schedule_id: 'Nightly!' }), { code: 'REQUEST_INVALID' });
  t.match(await json('POST', path, { ...nightly, crom: '' }), { code: 'REQUEST_INVALID' });
  t.match(await json('POST', `${path}/preview`, { every: '6h', tags: ['none'] }), {
    ...{ next: { length: 5 }, matching_scenarios: 0 },
  });
  t.match(await json('POST', `${path}/preview`, { every: '6x' }), { code: 'SCHEDULE_INVALID' });
  t.match(await json('PUT', `${path}/nightly`, { every: '1d' }), { definition: { every: '1d' } });
  t.match(await json('POST', `${path}/nightly/pause`), { paused: true });
  t.match(await json('GET', path), { items: [{ paused: true, next: [] }] });
  t.match(await json('POST', `${path}/nightly/resume`), { paused: false });
  t.match(await json('GET', `${path}/other`), { code: 'SCHEDULE_UNKNOWN' });
  t.match(await json('POST', `${path}/import`, { schedules: [nightly] }), { code: 'SCHEDULE_ID_TAKEN' });
  t.equal((await api.ask('DELETE', `${path}/nightly`)).status, 204);
  t.match(await json('POST', `${path}/import`, { schedules: [nightly] }), { schedules: [{ outcome: 'created' }] });
  t.match(await json('DELETE', `${path}/nightly`), { code: 'SCHEDULE_FROM_FILE' });
});

t.test('a deployment announces itself without a credential, by its signature', async (t) => {
  const api = await startTestServer(t);
  await api.control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await api.control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, { name: 'owner' });
  const created = await (await api.ask('POST', path, { schedule_id: 'deploy', on: 'webhook' })).json();
  const secret = Buffer.from(created.webhook_secret.slice('whsec_'.length), 'base64');
  const send = (id: string, body: string, signed = body) => {
    const timestamp = String(Math.floor(systemClock.nowMs() / 1000));
    const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${signed}`).digest('base64');
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
    return api.fetch(new Request(`${origin}${path}/deploy/webhook`, { method: 'POST', headers, body }));
  };
  const accepted = await send('msg-1', '{"target_version":"2.4.1"}');
  t.equal(accepted.status, 202);
  const { outcome, run_ids: ids } = await accepted.json();
  t.equal(outcome, 'requested');
  t.match(await (await api.ask('GET', `/api/v1/runs/${ids[0]}`)).json(), {
    target_version: '2.4.1',
    schedule: 'deploy',
  });
  const repeated = await send('msg-1', '{"target_version":"2.4.1"}');
  t.match([repeated.status, await repeated.json()], [409, { code: 'SCHEDULE_WEBHOOK_REPEATED' }]);
  const forged = await send('msg-2', '{}', '{"target_version":"3"}');
  t.match([forged.status, await forged.json()], [401, { code: 'SCHEDULE_WEBHOOK_REFUSED' }]);
  t.equal((await send('msg-3', 'x'.repeat(20_000))).status, 413);
  await api.ask('PUT', `${path}/deploy`, { on: 'webhook', tags: ['none'] });
  const unused = await send('msg-4', '{}');
  t.match([unused.status, await unused.json()], [409, { code: 'SCHEDULE_NOTHING_REQUESTED' }]);
});

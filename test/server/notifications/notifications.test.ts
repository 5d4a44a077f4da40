import t from 'tap';
import { createScenarioText } from '../../control/report-fixture.ts';
import { completeRun } from '../../control/runs/run-history.ts';
import { eventually } from '../../eventually.ts';
import { startReceiver } from '../../notifications/notification-fixture.ts';
import { startTestServer } from '../test-server.ts';

const path = '/api/v1/notifications';

t.test(
  'channels are created, listed, changed, tested and removed over the API, and secrets are not shown',
  async (t) => {
    const receiver = await startReceiver(t);
    const api = await startTestServer(t);
    const json = async (...call: Parameters<typeof api.ask>) => (await api.ask(...call)).json();
    const team = { channel: 'team', kind: 'slack', url: receiver.url, tags: ['smoke'] };
    const created = await api.ask('POST', `${path}/channels`, team);
    t.equal(created.status, 201);
    t.match(await created.json(), { channel: { channel: 'team', routing: { tags: ['smoke'] } }, secret: undefined });
    t.match(await json('POST', `${path}/channels`, team), { code: 'NOTIFICATION_CHANNEL_TAKEN' });
    const hook = await json('POST', `${path}/channels`, { channel: 'hook', kind: 'webhook', url: receiver.url });
    t.match(hook.secret, /^whsec_.{44}$/);
    const listed = JSON.stringify(await json('GET', `${path}/channels`));
    t.notMatch(listed, /secret-4711|whsec_/);
    t.match(await json('POST', `${path}/channels/team/test`), { sent: true });
    t.match(receiver.requests[0]?.body, { text: 'A test message of vp' });
    t.match(await json('GET', `${path}/deliveries?channel=team`), {
      items: [{ event: 'test', state: 'sent', attempts: 1 }],
      next_cursor: null,
    });
    receiver.respondWith(404);
    const refused = await api.ask('POST', `${path}/channels/team/test`);
    t.match(
      [refused.status, await refused.json()],
      [502, { code: 'NOTIFICATION_NOT_SENT', detail: /it answered 404/ }],
    );
    const changed = await json('PUT', `${path}/channels/team`, { digest_minutes: 30 });
    t.same(changed.routing, { digest_minutes: 30 });
    t.match(await json('PUT', `${path}/channels/none`, {}), { code: 'NOTIFICATION_CHANNEL_UNKNOWN' });
    t.match(await json('POST', `${path}/channels/team/deliveries/ntf_0/retry`), {
      code: 'NOTIFICATION_DELIVERY_UNKNOWN',
    });
    t.equal((await api.ask('DELETE', `${path}/channels/team`)).status, 204);
    t.match(await json('DELETE', `${path}/channels/team`), { code: 'NOTIFICATION_CHANNEL_UNKNOWN' });
  },
);

t.test('channels that could not work are refused', async (t) => {
  const api = await startTestServer(t);
  const create = async (input: object) =>
    (await api.ask('POST', `${path}/channels`, { channel: 'a', ...input })).json();
  const code = 'NOTIFICATION_CHANNEL_INVALID';
  const refused = (member: string) => ({ code, detail: new RegExp(`${member}: `) });
  const url = 'https://hooks.example/1';
  const email = { server: 'smtp.example', port: 587, security: 'starttls', from: 'vp@a.example', to: ['b@a.example'] };
  t.match(await create({ kind: 'slack' }), refused('url'));
  t.match(await create({ kind: 'slack', url: 'ftp://hooks.example/1' }), refused('url'));
  t.match(await create({ kind: 'slack', url: 'https://ana:pw@hooks.example/1' }), refused('url'));
  t.match(await create({ kind: 'slack', url, email }), refused('email'));
  t.match(await create({ kind: 'email', url }), refused('url'));
  t.match(await create({ kind: 'email' }), refused('email'));
  t.match(await create({ kind: 'email', email: { ...email, user: 'ana' } }), refused('email'));
  t.match(await create({ kind: 'email', email: { ...email, to: ['a@b\nBcc: c@d'] } }), { code: 'REQUEST_INVALID' });
  const quiet = { from: '22:00', to: '07:00', time_zone: 'Europe/Atlantis' };
  t.match(await create({ kind: 'slack', url, quiet_hours: quiet }), refused('quiet_hours'));
  const never = { ...quiet, time_zone: 'UTC', to: '22:00' };
  t.match(await create({ kind: 'slack', url, quiet_hours: never }), refused('quiet_hours'));
  t.match(await create({ kind: 'slack', url, evnts: [] }), { code: 'REQUEST_INVALID' });
  t.match(await (await api.ask('GET', `${path}/deliveries?cursor=x`)).json(), { code: 'CURSOR_INVALID' });
});

t.test('the log of deliveries is read in pages', async (t) => {
  const receiver = await startReceiver(t);
  const api = await startTestServer(t);
  await api.control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await api.control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, { name: 'owner' });
  for (const channel of ['a', 'b', 'c'])
    await api.ask('POST', `${path}/channels`, { channel, kind: 'webhook', url: receiver.url });
  await completeRun(api.control, { result: 'failed' });
  await eventually(() => receiver.requests.length === 3);
  const channels: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page: { items: { channel: string }[]; next_cursor: string | null } = await (
      await api.ask('GET', `${path}/deliveries?${query}`)
    ).json();
    channels.push(...page.items.map(({ channel }) => channel));
    cursor = page.next_cursor;
  }
  t.same(channels, ['a', 'b', 'c']);
});

/** Subscriptions of the newest revision: what they send, their limits and their end. */
import t, { type Test } from 'tap';
import { toWebResponse } from '../../../src/hub/downstream/mcp-http.ts';
import { type SubscriptionListener, Subscriptions } from '../../../src/hub/downstream/subscriptions.ts';
import { parseEvents } from '../../../src/streams/event-reader.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

function openSubscriptions(t: Test, maxSubscriptions = 4000) {
  const clock = fakeClock();
  const subscriptions = new Subscriptions(clock, maxSubscriptions);
  t.teardown(() => subscriptions.close());
  const listeners = new Set<SubscriptionListener>();
  const start = (filter: Record<string, unknown>, personId = 'ann', controller = new AbortController()) =>
    toWebResponse(
      subscriptions.start({
        id: 7,
        filter,
        personId,
        server: { name: 'hub', version: '1' },
        signal: controller.signal,
        listen(listener) {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      }),
    );
  return { clock, subscriptions, listeners, start };
}

/** Reads what was sent until now. */
async function readSent(response: Response): Promise<string> {
  const { value } = (await response.body?.getReader().read()) ?? {};
  return new TextDecoder().decode(value);
}

function parseMessages(text: string): unknown[] {
  return parseEvents(text).map(({ data }) => JSON.parse(data));
}

const subscriptionId = { 'io.modelcontextprotocol/subscriptionId': 7 };

t.test('a subscription is acknowledged and gets what it names, until it is closed', async (t) => {
  const { subscriptions, listeners, start } = openSubscriptions(t);
  const response = start({ toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: ['a:b'] });
  const [listener] = listeners;
  listener?.onChanged('tools');
  listener?.onChanged('prompts');
  listener?.onUpdated('a:b');
  listener?.onUpdated('a:c');
  subscriptions.close();
  t.match(parseMessages(await response.text()), [
    {
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['a:b'] }, _meta: subscriptionId },
    },
    { method: 'notifications/tools/list_changed', params: { _meta: subscriptionId } },
    { method: 'notifications/resources/updated', params: { uri: 'a:b', _meta: subscriptionId } },
    { id: 7, result: { resultType: 'complete', _meta: subscriptionId } },
  ]);
  t.equal(listeners.size, 0);
});

t.test('a subscription to nothing ends at once', async (t) => {
  const { subscriptions, start } = openSubscriptions(t);
  t.equal(parseMessages(await start({}).text()).length, 2);
  t.equal(subscriptions.size, 0);
});

t.test('a client that leaves frees its subscription', async (t) => {
  const { subscriptions, listeners, start } = openSubscriptions(t);
  const controller = new AbortController();
  start({ toolsListChanged: true }, 'ann', controller);
  controller.abort();
  await start({ toolsListChanged: true }).body?.cancel();
  t.equal(subscriptions.size, 0);
  t.equal(listeners.size, 0);
});

t.test('one person cannot use up all subscriptions', async (t) => {
  const { start } = openSubscriptions(t);
  for (let count = 0; count < 256; count += 1) start({ toolsListChanged: true });
  t.match(await start({ toolsListChanged: true }).json(), { id: 7, error: { message: 'Subscription limit reached' } });
  t.match(await readSent(start({ toolsListChanged: true }, 'bob')), /acknowledged/);
});

t.test('the operator bounds the subscriptions of all people, and one that ends makes room', async (t) => {
  const { subscriptions, start } = openSubscriptions(t, 2);
  const controller = new AbortController();
  start({ toolsListChanged: true }, 'ann', controller);
  start({ toolsListChanged: true }, 'bob');
  t.match(await start({ toolsListChanged: true }, 'eve').json(), { error: { message: 'Subscription limit reached' } });
  controller.abort();
  t.match(await readSent(start({ toolsListChanged: true }, 'eve')), /acknowledged/);
  t.equal(subscriptions.size, 2);
});

t.test('an open subscription is not silent', async (t) => {
  const { clock, start } = openSubscriptions(t);
  const reader = start({ toolsListChanged: true }).body?.getReader();
  await reader?.read();
  const heartbeat = reader?.read();
  clock.advance(15_000);
  t.equal(new TextDecoder().decode((await heartbeat)?.value), ': heartbeat\n\n');
});

/** Each fault of the network does what its name says. */
import { setTimeout as sleepFor } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { eventually } from '../eventually.ts';
import { respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { type Exchange, type NetworkFault, startFaultyProxy } from './faulty-proxy.ts';
import { createSeededRandom } from './seeded-random.ts';

async function startPair(t: Test, fault: NetworkFault | undefined) {
  const server = await startHttpTarget(respondWithJson({ text: 'long enough to be cut in two' }));
  const exchanges: Exchange[] = [];
  const rates = fault === undefined ? {} : { [fault]: 1 };
  const proxy = await startFaultyProxy(createSeededRandom(3), rates, (exchange) => exchanges.push(exchange));
  proxy.forwardTo(server.origin);
  t.teardown(async () => {
    await proxy.close();
    await server.close();
  });
  const call = async (): Promise<string> => {
    const response = await fetch(`${proxy.url}/x`, { method: 'POST', body: 'hello' });
    return response.text();
  };
  return { server, proxy, exchanges, call };
}

const answer = '{"text":"long enough to be cut in two"}';

t.test('without a fault, a call goes through unchanged', async (t) => {
  const { server, exchanges, call, proxy } = await startPair(t, undefined);
  t.equal(await call(), answer);
  t.match(server.arrived, [{ method: 'POST', url: '/x', body: 'hello' }]);
  t.same(exchanges, [{ path: '/x', request: 'hello', status: 200 }]);
  t.equal(proxy.faults.size, 0);
});

t.test('a lost request does not arrive', async (t) => {
  const { server, call, proxy } = await startPair(t, 'lost request');
  await t.rejects(call());
  t.equal(server.arrived.length, 0);
  t.same([...proxy.faults], [['lost request', 1]]);
});

for (const fault of ['lost response', 'cut'] as const) {
  t.test(`with a ${fault}, the request arrives and its caller has no answer`, async (t) => {
    const { server, exchanges, call } = await startPair(t, fault);
    await t.rejects(call());
    t.equal(server.arrived.length, 1);
    await eventually(() => exchanges.length === 1, { description: 'the server has answered' });
  });
}

for (const fault of ['double', 'replay'] as const) {
  t.test(`with a ${fault}, the server gets the call twice and its caller one answer`, async (t) => {
    const { server, call } = await startPair(t, fault);
    t.equal(await call(), answer);
    await eventually(() => server.arrived.length === 2, { description: 'it arrives again', timeoutMs: 30_000 });
  });
}

t.test('a delayed call is answered, and healing ends delays and replays', async (t) => {
  const delayed = await startPair(t, 'delay');
  t.equal(await delayed.call(), answer);
  const { server, call, proxy } = await startPair(t, 'replay');
  t.equal(await call(), answer);
  proxy.heal();
  t.equal(await call(), answer);
  await sleepFor(50);
  t.equal(server.arrived.length, 2, 'nothing came again');
});

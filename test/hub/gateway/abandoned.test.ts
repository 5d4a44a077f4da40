/** Whoever leaves in the midst leaves nothing behind: no call, no session and no timer, here or at the server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { goodServer } from '../hostile/good-server.ts';
import { served } from '../hostile/listening.ts';
import { connectionTo, house, newest } from './house.ts';
import { meta, post, toolCall } from './posting.ts';

async function until(holds: () => boolean): Promise<boolean> {
  for (let round = 0; round < 300 && !holds(); round += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  return holds();
}

const asking = { ...newest, capabilities: { elicitation: {} } };

for (const [era, options] of [
  ['newest', asking],
  ['older', { capabilities: { elicitation: {} } }],
] as const) {
  t.test(`a caller of the ${era} era who may be asked and leaves ends the call at an older server`, async (t) => {
    const good = goodServer('older');
    const upstream = await served(t, good.answer);
    const home = await house(t, [connectionTo('good', upstream.url)]);
    const client = await home.client('ann', options);
    const leaving = new AbortController();
    const call = client.callTool({ name: 'good__slow', arguments: { ms: 60_000 } }, { signal: leaving.signal });
    t.ok(await until(() => good.calls === 1));
    leaving.abort();
    await t.rejects(call);
    t.ok(await until(() => good.cancelled.length === 1), 'the server knows');
    t.ok(await until(() => home.audit.length === 1));
    t.match(home.audit, [{ tool: 'slow', outcome: 'cancelled' }]);
  });
}

t.test('sessions at servers are ended with the connection', async (t) => {
  const good = goodServer('older');
  const upstream = await served(t, good.answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  const client = await home.client('ann', newest);
  await client.callTool({ name: 'good__echo', arguments: { text: 'x' } });
  t.equal(good.sessions(), 2, 'the one that lists, and the one of the person');
  home.connections.length = 0;
  home.changed();
  t.ok(await until(() => good.sessions() === 0));
});

t.test('a question that nobody answers is given up when the gateway closes', async (t) => {
  const good = goodServer('older');
  const upstream = await served(t, good.answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const answer = await post(home.served.url, 'ann', ...toolCall('good__ask', {}, { ...meta, ...capabilities }));
  t.match(await answer.json(), { result: { resultType: 'input_required' } });
  await home.gateway.close();
  t.equal(good.sessions(), 0, 'the server waits for nothing any more');
});

t.test('a process in which callers gave up ends by itself', async (t) => {
  const program = ['--import', './test/tsx-hook.mjs', 'test/hub/gateway/gives-up.ts'];
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  let told = '';
  child.stdout.on('data', (piece) => {
    told += piece;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), 25_000);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  t.equal(told, 'closed\n');
  t.equal(code, 0, 'it was not killed');
});

/** Servers of the oldest way over HTTP, and servers that restart: found again within the call that needs them. */
import t, { type Test } from 'tap';
import { connectionTo, house, newest } from '../gateway/house.ts';
import { goodMcpServer, goodServer } from '../hostile/good-server.ts';
import { served } from '../hostile/listening.ts';
import { sseServer } from '../hostile/sse-server.ts';

async function overSse(t: Test) {
  const good = goodServer('older');
  const older = sseServer(() => goodMcpServer(good, 'older'));
  const upstream = await served(t, older.answer);
  const credential = { kind: 'header', header: 'Authorization' } as const;
  const home = await house(t, [connectionTo('good', upstream.url, { kind: 'sse', credential })]);
  return { good, older, upstream, home, client: await home.client('ann', newest) };
}

const echo = { name: 'good__echo', arguments: { text: 'one' } };

t.test('tools, resources and prompts of a server on HTTP with SSE are there, in both eras', async (t) => {
  const { home, upstream } = await overSse(t);
  for (const options of [newest, {}]) {
    const client = await home.client('ann', options);
    t.equal((await client.listTools()).tools.length, 8);
    t.match(await client.callTool(echo), { content: [{ text: 'one' }] });
    const { resources } = await client.listResources();
    t.match(await client.readResource({ uri: resources[0]?.uri ?? '' }), {
      contents: [{ text: 'text of note://one' }],
    });
    t.match(await client.getPrompt({ name: 'good__greet', arguments: { whom: 'Ann' } }), {
      messages: [{ content: { text: 'Greet Ann' } }],
    });
  }
  t.ok(upstream.seen.every((headers) => headers.get('authorization') === 'Bearer upstream-secret'));
  t.match(home.states.at(-1), 'c-good connected');
});

t.test('progress comes before its answer, and what is cancelled here is cancelled there', async (t) => {
  const { client, good } = await overSse(t);
  const heard: unknown[] = [];
  await client.callTool(
    { name: 'good__logs', arguments: {} },
    { onprogress: ({ progress }) => void heard.push(progress) },
  );
  t.same(heard, [1, 2, 3]);
  const leaving = new AbortController();
  const call = client.callTool({ name: 'good__slow', arguments: { ms: 20_000 } }, { signal: leaving.signal });
  setTimeout(() => leaving.abort(), 200);
  await t.rejects(call);
  for (let tries = 0; tries < 50 && good.cancelled.length === 0; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  t.same(good.cancelled, ['slow']);
});

t.test('a stream that ended is opened anew within the next call', async (t) => {
  const { client, older } = await overSse(t);
  t.match(await client.callTool(echo), { content: [{ text: 'one' }] });
  const before = older.streams;
  older.forget();
  await new Promise((resolve) => setTimeout(resolve, 300));
  t.match(await client.callTool(echo), { content: [{ text: 'one' }] });
  t.ok(older.streams > before);
});

t.test('a stream that names another server to post to gets neither request nor credential there', async (t) => {
  const { older, home, client } = await overSse(t);
  const thief = await served(t, () => new Response('thanks', { status: 202 }));
  older.endpoint = `${thief.url}?session=x`;
  const { _meta } = await client.listTools();
  t.match(_meta, { 'vp/missing_connections': [{ connection: 'good' }] });
  t.same(thief.seen, []);
  t.match(home.states.at(-1), /c-good failing/);
});

t.test('a server that restarts loses no call after it is back, in either era', async (t) => {
  for (const era of ['newest', 'older'] as const) {
    const first = await served(t, goodServer(era).answer);
    const home = await house(t, [connectionTo('good', first.url)]);
    for (const options of [newest, {}]) {
      const client = await home.client('ann', options);
      t.match(await client.callTool(echo), { content: [{ text: 'one' }] }, era);
    }
    await first.stop();
    const second = await served(t, goodServer(era).answer, Number(new URL(first.url).port));
    const clients = await Promise.all([home.client('ann', newest), home.client('bob', {})]);
    for (const client of clients) t.match(await client.callTool(echo), { content: [{ text: 'one' }] }, era);
    t.ok(second.seen.length > 0);
  }
});

t.test('a server that comes back as one of another era is met as what it is now', async (t) => {
  const first = await served(t, goodServer('older').answer);
  const home = await house(t, [connectionTo('good', first.url)]);
  const client = await home.client('ann', newest);
  t.match(await client.callTool(echo), { content: [{ text: 'one' }] });
  await first.stop();
  await served(t, goodServer('newest').answer, Number(new URL(first.url).port));
  let last: unknown;
  for (let tries = 0; tries < 20; tries += 1) {
    last = await client.callTool(echo).catch((error: unknown) => error);
    if (!(last instanceof Error)) break;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  t.match(last, { content: [{ text: 'one' }] });
});

/** What servers ask in the midst of a call reaches the caller and comes back: each kind, in each era, on both sides. */
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import t from 'tap';
import { connectionTo, house, newest } from '../gateway/house.ts';
import { askingMcpServer, askingServer } from '../hostile/asking-server.ts';
import { goodServer } from '../hostile/good-server.ts';
import { served } from '../hostile/listening.ts';
import { sseServer } from '../hostile/sse-server.ts';

const capabilities = { sampling: {}, roots: {}, elicitation: {} };

function answering(client: Client, heard: string[]): void {
  client.setRequestHandler('sampling/createMessage', async ({ params }) => {
    heard.push(`sample ${params.maxTokens}`);
    return { role: 'assistant', model: 'of the caller', content: { type: 'text', text: 'a sample' } };
  });
  client.setRequestHandler('roots/list', async () => {
    heard.push('roots');
    return { roots: [{ uri: 'file:///home/ann', name: 'home' }] };
  });
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    heard.push(params.message);
    return { action: 'accept', content: { name: 'Ann' } };
  });
}

const callers: readonly (readonly [string, ClientOptions])[] = [
  ['newest', newest],
  ['older', {}],
];

for (const [caller, options] of callers) {
  for (const era of ['newest', 'older'] as const) {
    t.test(`a caller of the ${caller} era answers what a server of the ${era} asks`, async (t) => {
      const upstream = await served(t, askingServer(era));
      const home = await house(t, [connectionTo('asks', upstream.url)]);
      const client = await home.client('ann', { ...options, capabilities });
      const heard: string[] = [];
      answering(client, heard);
      const answer = await client.callTool({ name: 'asks__all', arguments: {} });
      t.match(answer.content, [{ text: 'a sample, file:///home/ann, Ann' }]);
      t.same(new Set(heard), new Set(['sample 10', 'roots', 'What is your name?']));
      t.equal(heard.length, 3, 'each was asked once');
    });

    t.test(`a caller of the ${caller} era who cannot be asked is not, by a server of the ${era}`, async (t) => {
      const upstream = await served(t, askingServer(era));
      const home = await house(t, [connectionTo('asks', upstream.url)]);
      const client = await home.client('ann', { ...options, capabilities: { roots: {} } });
      const heard: string[] = [];
      client.setRequestHandler('roots/list', async () => ({ roots: [] }));
      const refused = await client.callTool({ name: 'asks__all', arguments: {} }).then(
        ({ isError }) => (isError ? 'refused' : 'answered'),
        () => 'refused',
      );
      t.equal(refused, 'refused');
      t.same(heard, []);
    });
  }

  t.test(`a caller of the ${caller} era answers what a server on HTTP with SSE asks`, async (t) => {
    const asks = sseServer(() => askingMcpServer('older'));
    const upstream = await served(t, asks.answer);
    const home = await house(t, [connectionTo('asks', upstream.url, { kind: 'sse' })]);
    const client = await home.client('ann', { ...options, capabilities });
    const heard: string[] = [];
    answering(client, heard);
    const answer = await client.callTool({ name: 'asks__all', arguments: {} });
    t.match(answer.content, [{ text: 'a sample, file:///home/ann, Ann' }]);
    t.equal(heard.length, 3);
  });
}

t.test('what one caller is asked, no other one hears, with many at once', async (t) => {
  for (const era of ['newest', 'older'] as const) {
    const upstream = await served(t, goodServer(era).answer);
    const limits = { silenceMs: 15_000, wholeMs: 20_000 };
    const home = await house(t, [connectionTo('good', upstream.url)], { limits });
    const names = ['ann', 'bob', 'cleo'];
    const clients = await Promise.all(names.map((name) => home.client(name, { ...newest, capabilities })));
    const calls = clients.flatMap((client, at) => {
      client.setRequestHandler('elicitation/create', async () => ({
        action: 'accept',
        content: { name: names[at] ?? '' },
      }));
      return Array.from({ length: 4 }, async () => {
        const { content } = await client.callTool({ name: 'good__ask', arguments: {} });
        t.match(content, [{ text: new RegExp(`^hello ${names[at]}\\b`) }], era);
      });
    });
    await Promise.all(calls);
  }
});

/** Questions of servers during a call reach the caller and return: each kind, in each era, on both sides. */
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import t from 'tap';
import { createAskingMcpServer, createAskingServer } from '../fixtures/asking-server.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createSseServer } from '../fixtures/sse-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const capabilities = { sampling: {}, roots: {}, elicitation: {} };

function answerQuestions(client: Client, questions: string[]): void {
  client.setRequestHandler('sampling/createMessage', async ({ params }) => {
    questions.push(`sample ${params.maxTokens}`);
    return { role: 'assistant', model: 'of the caller', content: { type: 'text', text: 'a sample' } };
  });
  client.setRequestHandler('roots/list', async () => {
    questions.push('roots');
    return { roots: [{ uri: 'file:///home/ann', name: 'home' }] };
  });
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { name: 'Ann' } };
  });
}

const callers: readonly (readonly [string, ClientOptions])[] = [
  ['newest', modernClient],
  ['older', {}],
];

for (const [caller, options] of callers) {
  for (const era of ['newest', 'older'] as const) {
    t.test(`a caller of the ${caller} era answers questions of a server of the ${era} era`, async (t) => {
      const upstream = await startTestServer(t, createAskingServer(era));
      const gateway = await startTestGateway(t, [createConnection('asks', upstream.url)]);
      const client = await gateway.client('ann', { ...options, capabilities });
      const questions: string[] = [];
      answerQuestions(client, questions);
      const result = await client.callTool({ name: 'asks__all', arguments: {} });
      t.match(result.content, [{ text: 'a sample, file:///home/ann, Ann' }]);
      t.same(new Set(questions), new Set(['sample 10', 'roots', 'What is your name?']));
      t.equal(questions.length, 3, 'each was asked once');
    });

    t.test(
      `a caller of the ${caller} era without the capability is not asked by a server of the ${era} era`,
      async (t) => {
        const upstream = await startTestServer(t, createAskingServer(era));
        const gateway = await startTestGateway(t, [createConnection('asks', upstream.url)]);
        const client = await gateway.client('ann', { ...options, capabilities: { roots: {} } });
        const questions: string[] = [];
        client.setRequestHandler('roots/list', async () => ({ roots: [] }));
        const refused = await client.callTool({ name: 'asks__all', arguments: {} }).then(
          ({ isError }) => (isError ? 'refused' : 'answered'),
          () => 'refused',
        );
        t.equal(refused, 'refused');
        t.same(questions, []);
      },
    );
  }

  t.test(`a caller of the ${caller} era answers questions of a server on HTTP with SSE`, async (t) => {
    const askingSseServer = createSseServer(() => createAskingMcpServer('older'));
    const upstream = await startTestServer(t, askingSseServer.handle);
    const gateway = await startTestGateway(t, [createConnection('asks', upstream.url, { kind: 'sse' })]);
    const client = await gateway.client('ann', { ...options, capabilities });
    const questions: string[] = [];
    answerQuestions(client, questions);
    const result = await client.callTool({ name: 'asks__all', arguments: {} });
    t.match(result.content, [{ text: 'a sample, file:///home/ann, Ann' }]);
    t.equal(questions.length, 3);
  });
}

t.test('with many concurrent callers, each gets only its own questions', async (t) => {
  for (const era of ['newest', 'older'] as const) {
    const upstream = await startTestServer(t, createReferenceServer(era).handle);
    const limits = { idleMs: 15_000, totalMs: 20_000 };
    const gateway = await startTestGateway(t, [createConnection('good', upstream.url)], { timeouts: limits });
    const names = ['ann', 'bob', 'cleo'];
    const clients = await Promise.all(names.map((name) => gateway.client(name, { ...modernClient, capabilities })));
    const calls = clients.flatMap((client, index) => {
      client.setRequestHandler('elicitation/create', async () => ({
        action: 'accept',
        content: { name: names[index] ?? '' },
      }));
      return Array.from({ length: 4 }, async () => {
        const { content } = await client.callTool({ name: 'good__ask', arguments: {} });
        t.match(content, [{ text: new RegExp(`^hello ${names[index]}\\b`) }], era);
      });
    });
    await Promise.all(calls);
  }
});

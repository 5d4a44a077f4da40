/** Questions of programs on standard streams, which name no call: none reaches another person or session. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import t from 'tap';
import { hubCapabilities } from '../../../../src/hub/protocol/extensions.ts';
import { eventually } from '../../../eventually.ts';
import { modernClient, type TestGateway } from '../../fixtures/test-gateway.ts';
import { startPipeGateway } from './pipe-gateway.ts';

const capabilities = { elicitation: {} };

async function connectPerson(gateway: TestGateway, name: string, options = {}) {
  const client = await gateway.client(name, { ...options, capabilities });
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { name } };
  });
  return { client, questions };
}

async function callText(client: Client, name: string): Promise<string> {
  const { content } = await client.callTool({ name: `pipe__${name}`, arguments: {} });
  return String(Object(Object(content)[0]).text);
}

for (const [era, options] of [
  ['older', {}],
  ['newest', modernClient],
] as const) {
  t.test(`people of the ${era} era who are asked at once each answer their own question`, async (t) => {
    const { gateway } = await startPipeGateway(t, 'good');
    const names = ['ann', 'bob', 'cleo'];
    const people = await Promise.all(names.map((name) => connectPerson(gateway, name, options)));
    const answers = await Promise.all(people.map(({ client }) => callText(client, 'ask')));
    for (const [index, name] of names.entries()) t.match(JSON.parse(answers[index] ?? ''), { content: { name } });
    t.same(
      people.map(({ questions }) => questions.length),
      [1, 1, 1],
    );
    const pids = await Promise.all(people.map(({ client }) => callText(client, 'pid')));
    t.equal(new Set(pids).size, 3, 'each has a process of their own');
  });
}

t.test('callers who cannot be asked share a process, whose questions are refused', async (t) => {
  const { gateway, client } = await startPipeGateway(t, 'good');
  const ann = await connectPerson(gateway, 'ann');
  const bob = await gateway.client('bob');
  t.equal(await callText(client, 'pid'), await callText(bob, 'pid'));
  const [answer] = await Promise.all([callText(bob, 'ask'), callText(ann.client, 'pid')]);
  t.match(JSON.parse(answer), { code: -32601 });
  t.same(ann.questions, []);
});

t.test('a process is started with what the client of its person can answer', async (t) => {
  const noteFile = join(t.testdir(), 'capabilities');
  const { gateway } = await startPipeGateway(t, 'records', noteFile);
  const ann = await connectPerson(gateway, 'ann');
  await callText(ann.client, 'pid');
  t.same(readFileSync(noteFile, 'utf8').trim().split('\n'), [JSON.stringify(hubCapabilities), '{"elicitation":{}}']);
});

t.test('with calls of two sessions of a person in flight, a question reaches neither', async (t) => {
  const noteFile = join(t.testdir(), 'called');
  const { gateway } = await startPipeGateway(t, 'good', noteFile);
  const first = await connectPerson(gateway, 'ann');
  const second = await connectPerson(gateway, 'ann');
  const controller = new AbortController();
  const silent = first.client.callTool({ name: 'pipe__silent', arguments: {} }, { signal: controller.signal });
  silent.catch(() => {});
  await eventually(() => readFileSync(noteFile, 'utf8') !== '');
  t.match(JSON.parse(await callText(second.client, 'ask')), { code: -32601 });
  const own = await callText(first.client, 'ask');
  t.match(JSON.parse(own), { content: { name: 'ann' } }, 'two calls of one session are of one client');
  t.same([first.questions.length, second.questions.length], [1, 0]);
  controller.abort();
  await t.rejects(silent);
});

/** Everything that MCP has goes through, whatever the eras of caller and server. */
import type { ClientOptions } from '@modelcontextprotocol/client';
import t from 'tap';
import { type Era, goodServer } from '../hostile/good-server.ts';
import { served } from '../hostile/listening.ts';
import { connectionTo, house, newest } from './house.ts';

const older: ClientOptions = {};
const callers = [
  ['newest', newest],
  ['older', older],
] as const;
const eras: readonly Era[] = ['newest', 'older'];

async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 300 && !holds(); round += 1) await new Promise((resolve) => setTimeout(resolve, 10));
}

for (const [callerEra, options] of callers) {
  for (const era of eras) {
    const name = `a caller of the ${callerEra} era and a server of the ${era}`;

    t.test(`${name}: tools, resources, prompts and completion`, async (t) => {
      const upstream = await served(t, goodServer(era).answer);
      const home = await house(t, [connectionTo('good', upstream.url)]);
      const client = await home.client('ann', options);
      t.equal(client.getProtocolEra(), callerEra === 'newest' ? 'modern' : 'legacy');
      const { tools } = await client.listTools();
      t.same(
        tools.map((tool) => tool.name),
        ['ask', 'echo', 'fails', 'link', 'logs', 'sample', 'slow']
          .map((tool) => `good__${tool}`)
          .concat('vp_hub_status'),
      );
      const echoed = await client.callTool({ name: 'good__echo', arguments: { text: 'hello' } });
      t.same(echoed.content, [{ type: 'text', text: 'hello' }]);
      t.match(await client.callTool({ name: 'good__fails', arguments: {} }), { isError: true });
      const linked = await client.callTool({ name: 'good__link', arguments: {} });
      t.match(linked.content, [{ type: 'resource_link', uri: 'hub.good+note://one' }]);
      const { resources } = await client.listResources();
      t.match(resources, [{ uri: 'hub.good+note://one', name: 'one' }]);
      const { resourceTemplates } = await client.listResourceTemplates();
      t.match(resourceTemplates, [{ uriTemplate: 'hub.good+note://{name}' }]);
      const { contents } = await client.readResource({ uri: 'hub.good+note://two' });
      t.match(contents, [{ uri: 'hub.good+note://two', text: 'text of note://two' }]);
      const { prompts } = await client.listPrompts();
      t.match(prompts, [{ name: 'good__greet' }]);
      const prompt = await client.getPrompt({ name: 'good__greet', arguments: { whom: 'Bob' } });
      t.match(prompt.messages, [{ content: { text: 'Greet Bob' } }]);
      const completed = await client.complete({
        ref: { type: 'ref/prompt', name: 'good__greet' },
        argument: { name: 'whom', value: 'x' },
      });
      t.same(completed.completion.values, ['x-done']);
      t.match(home.audit[0], {
        method: 'tools/call',
        tool: 'echo',
        connection: { id: 'c-good', name: 'good' },
        arguments: { text: 'hello' },
        outcome: 'ok',
        principal: { person: { personId: 'ann' }, client: { name: 'test', version: '1.2.3' } },
      });
      t.same(
        home.audit.map(({ outcome }) => outcome),
        ['ok', 'tool_error', 'ok', 'ok', 'ok', 'ok'],
      );
      t.same(home.faults, []);
    });

    t.test(`${name}: progress and log lines come before the answer`, async (t) => {
      const upstream = await served(t, goodServer(era).answer);
      const home = await house(t, [connectionTo('good', upstream.url)]);
      const client = await home.client('ann', options);
      const heard: unknown[] = [];
      const logs: unknown[] = [];
      client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params.data));
      const logLevel = { 'io.modelcontextprotocol/logLevel': 'info' };
      const answer = await client.request(
        {
          method: 'tools/call',
          params: { name: 'good__logs', arguments: {}, _meta: callerEra === 'newest' ? logLevel : {} },
        },
        { onprogress: ({ progress }) => heard.push(progress) },
      );
      t.match(answer, { content: [{ text: 'logged' }] });
      t.same(heard, [1, 2, 3]);
      t.same(logs, ['a line']);
    });

    t.test(`${name}: what is cancelled here is cancelled there`, async (t) => {
      const good = goodServer(era);
      const upstream = await served(t, good.answer);
      const home = await house(t, [connectionTo('good', upstream.url)]);
      const client = await home.client('ann', options);
      const leaving = new AbortController();
      const calling = client.callTool({ name: 'good__slow', arguments: {} }, { signal: leaving.signal });
      while (good.calls === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      leaving.abort();
      await t.rejects(calling);
      for (let round = 0; round < 200 && good.cancelled.length === 0; round += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      t.same(good.cancelled, ['slow']);
      for (let round = 0; round < 100 && home.audit.length === 0; round += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      t.match(home.audit, [{ tool: 'slow', outcome: 'cancelled' }]);
    });

    t.test(`${name}: what the server asks is asked of the caller`, async (t) => {
      const good = goodServer(era);
      const upstream = await served(t, good.answer);
      const home = await house(t, [connectionTo('good', upstream.url)]);
      const client = await home.client('ann', { ...options, capabilities: { elicitation: {} } });
      const asked: unknown[] = [];
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params.message);
        return { action: 'accept', content: { name: 'Ann' } };
      });
      const answer = await client.callTool({ name: 'good__ask', arguments: {} });
      t.match(answer.content, [{ text: era === 'newest' ? 'hello Ann state-of-upstream' : 'hello Ann' }]);
      t.same(asked, ['What is your name?']);
      t.match(good.capabilities[0], { elicitation: {} });
      t.notMatch(good.capabilities[0], { sampling: {} });
    });

    t.test(`${name}: changes of the prompts and of the resources are told`, async (t) => {
      const good = goodServer(era);
      const upstream = await served(t, good.answer);
      const home = await house(t, [connectionTo('good', upstream.url)]);
      const told: string[] = [];
      const hear = (list: string) => ({ autoRefresh: false, onChanged: () => void told.push(list) });
      const listChanged = { prompts: hear('prompts'), resources: hear('resources') };
      const client = await home.client('ann', { ...options, listChanged });
      await client.listPrompts();
      await client.listResources();
      await new Promise((resolve) => setTimeout(resolve, 300));
      good.promptsChanged();
      await until(() => told.includes('prompts'));
      t.same(told, ['prompts']);
      good.resourcesChanged();
      await until(() => told.includes('resources'));
      t.same(told, ['prompts', 'resources']);
    });

    t.test(`${name}: a change of the tools is told`, async (t) => {
      const good = goodServer(era);
      const upstream = await served(t, good.answer);
      const home = await house(t, [connectionTo('good', upstream.url)]);
      const told = Promise.withResolvers<void>();
      const listChanged = { tools: { autoRefresh: false, onChanged: () => told.resolve() } };
      const client = await home.client('ann', { ...options, listChanged });
      await client.listTools();
      await new Promise((resolve) => setTimeout(resolve, 300));
      good.tools.push('another');
      good.toolsChanged();
      await told.promise;
      const { tools } = await client.listTools(undefined, { cacheMode: 'bypass' });
      t.ok(tools.some((tool) => tool.name === 'good__another'));
    });
  }
}

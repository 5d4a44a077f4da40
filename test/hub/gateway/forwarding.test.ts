/** Everything in MCP is forwarded, whatever the eras of caller and server. */
import type { ClientOptions } from '@modelcontextprotocol/client';
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { createReferenceServer, type Era } from '../fixtures/reference-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const olderClient: ClientOptions = {};
const callers = [
  ['newest', modernClient],
  ['older', olderClient],
] as const;
const eras: readonly Era[] = ['newest', 'older'];

for (const [callerEra, options] of callers) {
  for (const era of eras) {
    const name = `a caller of the ${callerEra} era and a server of the ${era}`;

    t.test(`${name}: tools, resources, prompts and completion`, async (t) => {
      const upstream = await startTestServer(t, createReferenceServer(era).handle);
      const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
      const client = await gateway.client('ann', options);
      t.equal(client.getProtocolEra(), callerEra === 'newest' ? 'modern' : 'legacy');
      const { tools } = await client.listTools();
      t.same(
        tools.map((tool) => tool.name),
        ['ask', 'echo', 'fails', 'link', 'logs', 'sample', 'slow']
          .map((tool) => `good__${tool}`)
          .concat('vp_hub_status'),
      );
      const echoResult = await client.callTool({ name: 'good__echo', arguments: { text: 'hello' } });
      t.same(echoResult.content, [{ type: 'text', text: 'hello' }]);
      t.match(await client.callTool({ name: 'good__fails', arguments: {} }), { isError: true });
      const linkResult = await client.callTool({ name: 'good__link', arguments: {} });
      t.match(linkResult.content, [{ type: 'resource_link', uri: 'hub.good+note://one' }]);
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
      t.match(gateway.audit[0], {
        method: 'tools/call',
        tool: 'echo',
        connection: { id: 'c-good', name: 'good' },
        arguments: { text: 'hello' },
        outcome: 'ok',
        principal: { person: { personId: 'ann' }, client: { name: 'test', version: '1.2.3' } },
      });
      t.same(
        gateway.audit.map(({ outcome }) => outcome),
        ['ok', 'tool_error', 'ok', 'ok', 'ok', 'ok'],
      );
      t.same(gateway.errors, []);
    });

    t.test(`${name}: progress and log messages precede the result`, async (t) => {
      const upstream = await startTestServer(t, createReferenceServer(era).handle);
      const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
      const client = await gateway.client('ann', options);
      const progressValues: unknown[] = [];
      const logs: unknown[] = [];
      client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params.data));
      const logLevel = { 'io.modelcontextprotocol/logLevel': 'info' };
      const result = await client.request(
        {
          method: 'tools/call',
          params: { name: 'good__logs', arguments: {}, _meta: callerEra === 'newest' ? logLevel : {} },
        },
        { onprogress: ({ progress }) => progressValues.push(progress) },
      );
      t.match(result, { content: [{ text: 'logged' }] });
      t.same(progressValues, [1, 2, 3]);
      t.same(logs, ['a line']);
    });

    t.test(`${name}: a cancelled call is cancelled at the server`, async (t) => {
      const referenceServer = createReferenceServer(era);
      const upstream = await startTestServer(t, referenceServer.handle);
      const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
      const client = await gateway.client('ann', options);
      const controller = new AbortController();
      const pendingCall = client.callTool({ name: 'good__slow', arguments: {} }, { signal: controller.signal });
      await eventually(() => referenceServer.calls > 0);
      controller.abort();
      await t.rejects(pendingCall);
      await eventually(() => referenceServer.cancelled.length > 0);
      t.same(referenceServer.cancelled, ['slow']);
      await eventually(() => gateway.audit.length > 0);
      t.match(gateway.audit, [{ tool: 'slow', outcome: 'cancelled' }]);
    });

    t.test(`${name}: a question of the server reaches the caller`, async (t) => {
      const referenceServer = createReferenceServer(era);
      const upstream = await startTestServer(t, referenceServer.handle);
      const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
      const client = await gateway.client('ann', { ...options, capabilities: { elicitation: {} } });
      const questions: unknown[] = [];
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        questions.push(params.message);
        return { action: 'accept', content: { name: 'Ann' } };
      });
      const result = await client.callTool({ name: 'good__ask', arguments: {} });
      t.match(result.content, [{ text: era === 'newest' ? 'hello Ann state-of-upstream' : 'hello Ann' }]);
      t.same(questions, ['What is your name?']);
      t.match(referenceServer.capabilities[0], { elicitation: {} });
      t.notMatch(referenceServer.capabilities[0], { sampling: {} });
    });

    t.test(`${name}: changes of prompts and resources are notified`, async (t) => {
      const referenceServer = createReferenceServer(era);
      const upstream = await startTestServer(t, referenceServer.handle);
      const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
      const changedLists: string[] = [];
      const listenTo = (list: string) => ({ autoRefresh: false, onChanged: () => void changedLists.push(list) });
      const listChanged = { prompts: listenTo('prompts'), resources: listenTo('resources') };
      const client = await gateway.client('ann', { ...options, listChanged });
      await client.listPrompts();
      await client.listResources();
      referenceServer.promptsChanged();
      await eventually(() => changedLists.includes('prompts'));
      t.same(changedLists, ['prompts']);
      referenceServer.resourcesChanged();
      await eventually(() => changedLists.includes('resources'));
      t.same(changedLists, ['prompts', 'resources']);
    });

    t.test(`${name}: a change of the tools is notified`, async (t) => {
      const referenceServer = createReferenceServer(era);
      const upstream = await startTestServer(t, referenceServer.handle);
      const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
      const toolsChanged = Promise.withResolvers<void>();
      const listChanged = { tools: { autoRefresh: false, onChanged: () => toolsChanged.resolve() } };
      const client = await gateway.client('ann', { ...options, listChanged });
      await client.listTools();
      referenceServer.tools.push('another');
      referenceServer.toolsChanged();
      await toolsChanged.promise;
      const { tools } = await client.listTools(undefined, { cacheMode: 'bypass' });
      t.ok(tools.some((tool) => tool.name === 'good__another'));
    });
  }
}

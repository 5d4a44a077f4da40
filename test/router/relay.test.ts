/** Agents through the router to a real executor, in both eras, with the official client and with the inspector's command line. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { connectClient, createAgentTestSetup, eras, instance } from '../agents/agent-test-setup.ts';
import { type RequestHandler, respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { createFinder, createPost, createToken, startTestRouter } from './test-router.ts';

const run = promisify(execFile);

const progressReceived = Promise.withResolvers<void>();

/** Responds once a tool has waited and reported progress. */
const slow: RequestHandler = (request, response, arrived) => {
  void progressReceived.promise.then(() => respondWithJson({ data: [] })(request, response, arrived));
};

t.test('agents reach only their own tools through the router', async (t) => {
  const target = await startHttpTarget(slow);
  t.teardown(() => target.close());
  const agentSetup = await createAgentTestSetup(t, { baseUrl: target.origin });
  const { url } = await startTestRouter(t, createFinder({ [instance]: agentSetup.url }));

  for (const era of eras) {
    await t.test(`the ${era} protocol`, async (t) => {
      for (const [role, count, name] of [
        ['test', 16, 'author__get_executor_status'],
        ['product', 6, 'product__get_instance_status'],
      ] as const) {
        const client = await connectClient(`${url}/mcp`, await agentSetup.token(role), era);
        t.teardown(() => client.close());
        t.equal((await client.listTools()).tools.length, count);
        const result = await client.callTool({ name, arguments: {} });
        t.notOk(result.isError, JSON.stringify(result.content));
      }
    });
  }

  await t.test('an unknown token is refused by the executor, with the same message', async (t) => {
    for (const instanceOrOther of [instance, 'elsewhere']) {
      await t.rejects(connectClient(`${url}/mcp`, createToken(instanceOrOther), 'older'), /unrecognized router token/);
      // The newer client has its own message, which contains the refusal.
      await t.rejects(connectClient(`${url}/mcp`, createToken(instanceOrOther), 'newer'), /HTTP 401/);
    }
  });

  await t.test('a call that is too large does not affect other calls', async (t) => {
    const token = await agentSetup.token('test');
    const createCallRequest = (args: object): RequestInit =>
      createPost(token, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'author__validate_scenario', arguments: args },
      });
    for (let round = 0; round < 5; round += 1) {
      t.equal((await fetch(`${url}/mcp`, createCallRequest({ text: 'x'.repeat(7_000_000) }))).status, 413);
      t.match(await (await fetch(`${url}/mcp`, createCallRequest({ text: 'x' }))).text(), 'Not valid');
    }
  });

  await t.test('progress is forwarded while a tool waits', async (t) => {
    const client = await connectClient(`${url}/mcp`, await agentSetup.token('test'), 'newer');
    t.teardown(() => client.close());
    const scenario = `# Scenario: GET a\n\n## Metadata\n\n- ID: RT-GET-a\n- Layer: HTTP Ingestion\n- Tags: http\n\n## TRIGGER\n\nGET \${INGESTION_URL}/a\n\n## EXPECT\n\n### Runnable\n\n- status=200\n`;
    const requested = await client.callTool({ name: 'author__request_run', arguments: { text: scenario } });
    t.notOk(requested.isError, JSON.stringify(requested.content));
    const { run_id } = Object(requested.structuredContent);
    const received: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => {
      received.push(progress);
      progressReceived.resolve();
    };
    const status = await client.callTool({ name: 'author__get_run_status', arguments: { run_id } }, { onprogress });
    t.match(status.structuredContent, { state: 'passed' });
    t.ok(received.length > 0, 'it was told how far it is');
  });

  await t.test('the inspector lists and calls', async (t) => {
    const inspect = async (role: 'test' | 'product', ...text: string[]): Promise<string> => {
      const header = `Authorization: Bearer ${await agentSetup.token(role)}`;
      const fixed = ['--cli', `${url}/mcp`, '--transport', 'http', '--protocol-era', 'modern', '--format', 'json'];
      const { stdout } = await run(
        join('node_modules', '.bin', 'mcp-inspector'),
        [...fixed, ...text, '--header', header],
        {
          timeout: 30_000,
        },
      );
      return stdout;
    };
    const listed = await inspect('test', '--method', 'tools/list');
    t.equal(new Set(listed.match(/author__\w+(?=")/g)).size >= 16, true, listed.slice(0, 300));
    const called = await inspect('product', '--method', 'tools/call', '--tool-name', 'product__get_instance_status');
    t.match(called, 'shop');
  });
});

t.test('concurrent calls of two instances do not mix', async (t) => {
  const say = (name: string) => respondWithJson({ jsonrpc: '2.0', id: 7, result: { name } });
  const executors = await Promise.all(['shop', 'bank'].map((name) => startHttpTarget(say(name))));
  t.teardown(() => Promise.all(executors.map((executor) => executor.close())));
  const [executor, bank] = executors.map(({ origin }) => origin);
  const { url } = await startTestRouter(t, createFinder({ shop: executor ?? '', bank: bank ?? '' }));
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'a' } };
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const name = index % 2 === 0 ? 'shop' : 'bank';
      const answer = await fetch(`${url}/mcp`, createPost(createToken(name), call));
      const { result } = await answer.json();
      if (result.name !== name) t.fail(`${name} was answered by ${result.name}`);
    }),
  );
  for (const [index, name] of ['shop', 'bank'].entries()) {
    const tokens = executors[index]?.arrived.map(({ rawHeaders }) =>
      rawHeaders.find((value) => value.startsWith('Bearer ')),
    );
    t.same([...new Set(tokens)], [`Bearer ${createToken(name)}`]);
  }
});

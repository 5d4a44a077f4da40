/** Agents through the router to a real executor, in both eras, with the official client and with the inspector's command line. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { agentHouse, connected, eras, instance } from '../agents/house.ts';
import { type Answer, httpTarget, json } from '../targets/http-target.ts';
import { leadingTo, posted, routed, tokenOf } from './routed.ts';

const run = promisify(execFile);

/** Long enough for a tool to wait and say so. */
const slow: Answer = (request, response, arrived) => {
  setTimeout(() => json({ data: [] })(request, response, arrived), 2_500);
};

t.test('agents reach their tools through the router, and only theirs', async (t) => {
  const target = await httpTarget(slow);
  t.teardown(() => target.close());
  const house = await agentHouse(t, { baseUrl: target.origin });
  const { url } = await routed(t, leadingTo({ [instance]: house.url }));

  for (const era of eras) {
    await t.test(`the ${era} protocol`, async (t) => {
      for (const [role, count, name] of [
        ['test', 16, 'author__get_executor_status'],
        ['product', 6, 'product__get_instance_status'],
      ] as const) {
        const client = await connected(`${url}/mcp`, await house.token(role), era);
        t.teardown(() => client.close());
        t.equal((await client.listTools()).tools.length, count);
        const result = await client.callTool({ name, arguments: {} });
        t.notOk(result.isError, JSON.stringify(result.content));
      }
    });
  }

  await t.test('a token that only looks like one is refused by the executor, in the same words', async (t) => {
    for (const instanceOrOther of [instance, 'elsewhere']) {
      await t.rejects(connected(`${url}/mcp`, tokenOf(instanceOrOther), 'older'), /unrecognized router token/);
      // The newer client has words of its own, and the refusal behind them.
      await t.rejects(connected(`${url}/mcp`, tokenOf(instanceOrOther), 'newer'), /HTTP 401/);
    }
  });

  await t.test('a call that is too large costs no other call its answer', async (t) => {
    const token = await house.token('test');
    const asking = (args: object): RequestInit =>
      posted(token, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'author__validate_scenario', arguments: args },
      });
    for (let round = 0; round < 5; round += 1) {
      t.equal((await fetch(`${url}/mcp`, asking({ text: 'x'.repeat(2_000_000) }))).status, 413);
      t.match(await (await fetch(`${url}/mcp`, asking({ text: 'x' }))).text(), 'Not valid');
    }
  });

  await t.test('progress passes while a tool waits', async (t) => {
    const client = await connected(`${url}/mcp`, await house.token('test'), 'newer');
    t.teardown(() => client.close());
    const scenario = `# Scenario: GET a\n\n## Metadata\n\n- ID: RT-GET-a\n- Layer: HTTP Ingestion\n- Tags: http\n\n## TRIGGER\n\nGET \${INGESTION_URL}/a\n\n## EXPECT\n\n### Runnable\n\n- status=200\n`;
    const requested = await client.callTool({ name: 'author__request_run', arguments: { text: scenario } });
    t.notOk(requested.isError, JSON.stringify(requested.content));
    const { run_id } = Object(requested.structuredContent);
    const heard: number[] = [];
    const onprogress = ({ progress }: { progress: number }): unknown => heard.push(progress);
    const status = await client.callTool({ name: 'author__get_run_status', arguments: { run_id } }, { onprogress });
    t.match(status.structuredContent, { state: 'passed' });
    t.ok(heard.length > 0, 'it was told how far it is');
  });

  await t.test('the inspector lists and calls', async (t) => {
    const inspect = async (role: 'test' | 'product', ...words: string[]): Promise<string> => {
      const header = `Authorization: Bearer ${await house.token(role)}`;
      const fixed = ['--cli', `${url}/mcp`, '--transport', 'http', '--protocol-era', 'modern', '--format', 'json'];
      const { stdout } = await run(
        join('node_modules', '.bin', 'mcp-inspector'),
        [...fixed, ...words, '--header', header],
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

t.test('two instances at once do not mix', async (t) => {
  const say = (name: string) => json({ jsonrpc: '2.0', id: 7, result: { name } });
  const executors = await Promise.all(['shop', 'bank'].map((name) => httpTarget(say(name))));
  t.teardown(() => Promise.all(executors.map((executor) => executor.close())));
  const [shop, bank] = executors.map(({ origin }) => origin);
  const { url } = await routed(t, leadingTo({ shop: shop ?? '', bank: bank ?? '' }));
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'a' } };
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const name = index % 2 === 0 ? 'shop' : 'bank';
      const answer = await fetch(`${url}/mcp`, posted(tokenOf(name), call));
      const { result } = await answer.json();
      if (result.name !== name) t.fail(`${name} was answered by ${result.name}`);
    }),
  );
  for (const [index, name] of ['shop', 'bank'].entries()) {
    const tokens = executors[index]?.arrived.map(({ rawHeaders }) =>
      rawHeaders.find((value) => value.startsWith('Bearer ')),
    );
    t.same([...new Set(tokens)], [`Bearer ${tokenOf(name)}`]);
  }
});

/** A budget of calls on the product as it is shipped: many connections, a second token, another address, and kills buy no call. */
import { join } from 'node:path';
import { demanded, hubWith, ownerAt } from '../bench/hub.ts';
import { closeConnections, rawCall } from '../bench/hub-raw-call.ts';
import { createRawServer, createTextResult, createTool } from '../hub/fixtures/raw-server.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import { listeningUrl, sandboxTest } from './sandbox.ts';

const budgetCalls = 40;

sandboxTest('a budget is never exceeded, over connections, tokens and kills', async (t, sandbox) => {
  let sentCount = 0;
  const upstream = await startTestServer(
    t,
    createRawServer({
      tools: () => [createTool('echo')],
      call() {
        sentCount += 1;
        return createTextResult('hello');
      },
    }),
  );
  const data = join(sandbox.folder, 'plane');
  const serve = () =>
    sandbox.vp(['serve', '--json', '--port', '0', '--data', data, '--allow-private-upstreams', '--audit-intent']);
  t.teardown(closeConnections);
  const first = serve();
  const firstUrl = await listeningUrl(first);
  const line = first.stdout.split('\n').find((text) => text.includes('"setup_link_file"')) ?? '{}';
  const startInfo: { setup_link_file: string } = JSON.parse(line);
  const service = {
    startInfo: { ...startInfo, url: firstUrl },
    readyMs: 0,
    memoryMb: () => undefined,
    stop: async () => {},
  };
  const owner = await ownerAt(service);
  const token = await hubWith(owner, 'acme', [upstream.url]);
  const input = { name: 'second', expiry: '30 days' };
  const second = await demanded<{ token: string }>(await owner.ask('POST', '/api/v1/hubs/acme/tokens', input));
  t.match(await rawCall({ url: `${firstUrl}/agent/mcp`, name: 'c0__echo', token })(), '"hello"');
  const document = { limits: [], budgets: [{ per: 'person', period: 'month', calls: budgetCalls }] };
  await demanded(await owner.ask('PUT', '/api/v1/hubs/acme/policy', { document, if_revision: 1 }));

  /** Half of the calls with each token, all at once; returns how many the hub refused. */
  const attack = async (url: string, calls: number): Promise<number> => {
    const answers = await Promise.all(
      Array.from({ length: calls }, (_, index) =>
        rawCall({ url: `${url}/agent/mcp`, name: 'c0__echo', token: index % 2 === 0 ? token : second.token })(),
      ),
    );
    return answers.filter((answer) => answer.includes('HUB_BUDGET_USED_UP')).length;
  };
  t.equal(await attack(firstUrl, 25), 0);
  await first.kill();
  const killed = serve();
  t.equal(await attack(await listeningUrl(killed), 60), 60 - (budgetCalls - 26), 'after a kill');
  await killed.kill();
  const last = serve();
  t.equal(await attack(await listeningUrl(last), 20), 20, 'after another one');
  t.equal(sentCount, budgetCalls);
});

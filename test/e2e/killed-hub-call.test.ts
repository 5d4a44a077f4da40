/** With --audit-intent, a control plane that is killed during a call leaves a row that says so, once. */
import { join } from 'node:path';
import { hubWith, ownerAt } from '../bench/hub.ts';
import { closeConnections, rawCall } from '../bench/hub-raw-call.ts';
import { createRawServer, createTextResult, createTool } from '../hub/fixtures/raw-server.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import { listeningUrl, sandboxTest } from './sandbox.ts';

sandboxTest('a call that was sent before a kill is recorded, and its outcome is unknown', async (t, sandbox) => {
  const received = Promise.withResolvers<void>();
  const upstream = await startTestServer(
    t,
    createRawServer({
      tools: () => [createTool('echo'), createTool('hang')],
      call({ name }) {
        if (name !== 'hang') return createTextResult('hello');
        received.resolve();
        return new Promise(() => undefined);
      },
    }),
  );
  const data = join(sandbox.folder, 'plane');
  const serve = () =>
    sandbox.vp(['serve', '--json', '--port', '0', '--data', data, '--allow-private-upstreams', '--audit-intent']);
  const killed = serve();
  const url = await listeningUrl(killed);
  const line = killed.stdout.split('\n').find((text) => text.includes('"setup_link_file"')) ?? '{}';
  const startInfo: { setup_link_file: string } = JSON.parse(line);
  const service = { startInfo: { ...startInfo, url }, readyMs: 0, memoryMb: () => undefined, stop: async () => {} };
  const owner = await ownerAt(service);
  t.teardown(closeConnections);
  const token = await hubWith(owner, 'acme', [upstream.url]);
  const callTo = (tool: string) => rawCall({ url: `${url}/agent/mcp`, name: `c0__${tool}`, token });
  t.match(await callTo('echo')(), '"hello"');
  void callTo('hang')().catch(() => undefined);
  await received.promise;
  await killed.kill();

  const verify = async () => (await sandbox.run(['audit', 'verify', '--data', data])).stdout;
  t.match(await verify(), /✓ acme: 5 entries[^\n]*\n {2}· 1 call was started and not ended yet/);
  for (let start = 1; start <= 2; start += 1) {
    const running = serve();
    await listeningUrl(running);
    running.signal('SIGTERM');
    await running.ended;
    t.match(
      await verify(),
      /✓ acme: 6 entries[^\n]*\n {2}· 1 call was started, and the control plane ended before/,
      `after start ${start}`,
    );
  }
});

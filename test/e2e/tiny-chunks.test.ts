/** Responses in chunks of one byte cost memory for their bytes, not for their chunks, and delay nobody else. */
import { join } from 'node:path';
import { hubWith, ownerAt } from '../bench/hub.ts';
import { closeConnections, rawCall } from '../bench/hub-raw-call.ts';
import { createRawServer, createTextResult, createTool } from '../hub/fixtures/raw-server.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import { measureSmallest } from '../smallest-measurement.ts';
import { watchMemory } from './process-memory.ts';
import { createOwnerClient, listeningUrl, sandboxTest } from './sandbox.ts';
import { configText, scenarioText } from './test-environment.ts';
import { startTinyChunkTarget, startTinyChunkUpstream } from './tiny-chunks.ts';

const mebibyte = 1_048_576;
const instance = 'shop';
const minOtherCalls = 60;
const maxPlaneGrowthMiB = 100;
const warmUpCalls = 200;
/** As in the image: one arena of malloc. */
const variables = { MALLOC_ARENA_MAX: '1' };
/** A busy machine takes its time. */
const lifetimeMs = 300_000;

sandboxTest('an executor reads 10 MiB in chunks of one byte within 64 MB, as an event too', async (t, sandbox) => {
  const target = await startTinyChunkTarget(t, 10 * mebibyte);
  sandbox.write('product/platform-config.yaml', configText(target.url));
  const data = join(sandbox.folder, 'plane');
  const running = sandbox.vp(['serve', '--json', '--port', '0', '--data', data], { lifetimeMs });
  const plane = { running, data, url: await listeningUrl(running) };
  const client = createOwnerClient(plane);
  const { executor_key } = await client.instances.create({ instance_id: instance });
  const bodyCheck = '- body has count equals 3';
  const writeScenario = (name: string, checks = bodyCheck): Promise<unknown> =>
    client.scenarios.write(instance, `RT-${name}`, {
      text: scenarioText(`RT-${name}`).replace('/api/v2/document', `/${name}`).replace(bodyCheck, checks),
    });
  for (const name of ['small', 'large']) await writeScenario(name);
  await writeScenario('events', '- receive events\n- body length = 2');
  const executor = sandbox.vp(
    [
      ...['executor', '--json', '--port', '0', '--control-plane', plane.url],
      ...['--data', join(sandbox.folder, 'executor'), '--product-dir', join(sandbox.folder, 'product')],
    ],
    { variables: { ...variables, VP_EXECUTOR_KEY: executor_key }, lifetimeMs },
  );
  await listeningUrl(executor);
  const run = async (name: string): Promise<string> => {
    const [requested] = await client.runs.request(instance, { scenarios: [{ id: `RT-${name}` }] });
    for (;;) {
      const ended = await client.runs.get(String(requested?.run_id), { waitMs: 5000 });
      if (ended.finished_at !== null) return ended.state;
    }
  };
  t.equal(await run('small'), 'passed');
  for (const [name, maxMiB] of [
    ['large', 64],
    ['events', 64],
  ] as const) {
    const growth = await measureSmallest(maxMiB, async () => {
      const readGrowth = watchMemory(executor.pid);
      t.equal(await run(name), 'passed', name);
      return readGrowth();
    });
    t.comment(`${name}: the executor grew by ${growth.toFixed(0)} MiB`);
    t.ok(growth <= maxMiB, `${name}: ${growth} MiB`);
  }
});

sandboxTest('a hub reads 9 MB in chunks of one byte within 100 MB, and others are answered', async (t, sandbox) => {
  const hostile = await startTinyChunkUpstream(t, 9_000_000);
  const good = await startTestServer(
    t,
    createRawServer({ tools: () => [createTool('echo')], call: () => createTextResult('hello') }),
  );
  const data = join(sandbox.folder, 'plane');
  const plane = sandbox.vp(['serve', '--json', '--port', '0', '--data', data, '--allow-private-upstreams'], {
    ...{ lifetimeMs, variables },
  });
  const url = await listeningUrl(plane);
  const line = plane.stdout.split('\n').find((it) => it.includes('"setup_link_file"')) ?? '{}';
  const startInfo: { setup_link_file: string } = JSON.parse(line);
  const service = { startInfo: { ...startInfo, url }, readyMs: 0, memoryMb: () => undefined, stop: async () => {} };
  const owner = await ownerAt(service);
  t.teardown(closeConnections);
  const mcp = `${url}/agent/mcp`;
  const badToken = await hubWith(owner, 'bad', [`${hostile.url}/mcp`]);
  const goodToken = await hubWith(owner, 'good', [good.url]);
  const callGood = rawCall({ url: mcp, name: 'c0__echo', token: goodToken });
  // What other calls take, such as room for young objects, is not growth by the large answer.
  for (let turn = 0; turn < warmUpCalls; turn += 1)
    if (!(await callGood()).includes('"hello"')) throw new Error('a call failed');
  for (const name of ['json', 'events']) {
    const callLarge = rawCall({ url: mcp, name: `c0__${name}`, token: badToken });
    let otherCalls = 0;
    const growth = await measureSmallest(maxPlaneGrowthMiB, async () => {
      const readGrowth = watchMemory(plane.pid);
      let isDone = false;
      const large = callLarge().finally(() => {
        isDone = true;
      });
      // More of them would only take time: there were thousands.
      for (otherCalls = 0; !isDone && otherCalls < minOtherCalls; otherCalls += 1) await callGood();
      t.ok((await large).length > 9_000_000, name);
      return readGrowth();
    });
    t.comment(`${name}: the control plane grew by ${growth.toFixed(0)} MiB, with ${otherCalls} other calls`);
    t.ok(growth <= maxPlaneGrowthMiB, `${name}: ${growth} MiB`);
    // A dozen when the chunks are read without a pause.
    t.ok(otherCalls >= minOtherCalls, `${otherCalls} other calls`);
  }
});

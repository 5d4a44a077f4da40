/**
 * kill -9 of a control plane that notifies: each change arrives, once, or again with the same id where an answer was lost.
 * `VP_NOTIFICATION_KILLS` is how many kills, 5 by default; `VP_NOTIFICATION_SEED` chooses the moments.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { openControl } from '../../src/control/open-control.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';

const kills = Number(process.env.VP_NOTIFICATION_KILLS ?? 5);
const seed = Number(process.env.VP_NOTIFICATION_SEED ?? 1);

function createNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Receipt = {
  readonly id: string;
  readonly text: string;
  readonly runs: readonly string[];
  /** The process that sent it. */
  readonly process: number;
  isLost: boolean;
};

const next = createNumbers(seed);
const receipts: Receipt[] = [];
let processCount = 0;

/** Some answers are lost on the way, some come late, and some refuse. */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { data } = JSON.parse(text);
  const changes: { event: string; run_id: string }[] = data.changes ?? [data];
  const runs = changes.filter(({ event }) => event !== 'executor_lost').map(({ run_id: run }) => run);
  const share = next();
  if (share < 0.1) {
    response.writeHead(503).end();
    return;
  }
  const receipt = { id: String(request.headers['webhook-id']), text, runs, process: processCount, isLost: share < 0.2 };
  receipts.push(receipt);
  if (share < 0.2) request.socket.destroy();
  else setTimeout(() => response.writeHead(204).end(), share < 0.5 ? share * 100 : 0);
});

async function start(folder: string, mode: 'run' | 'finish'): Promise<ChildProcess> {
  const { port } = server.address() as AddressInfo;
  processCount += 1;
  const file = 'test/notifications/kill-drill-process.ts';
  const child = spawn(
    process.execPath,
    ['--import', './test/tsx-hook.mjs', file, folder, `http://127.0.0.1:${port}/`, mode],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  return child;
}

/** The runs that changed the state, from what the store says; nothing of the product's own code computes them. */
async function listExpectedRuns(folder: string): Promise<string[]> {
  const control = await openControl({
    ...{
      folder,
      clock: systemClock,
      random: systemRandom,
      pid: process.pid,
      onError: (error) => t.fail(String(error)),
    },
  });
  const rows = await control.database.read((sql) =>
    sql.all(
      "SELECT id, state FROM runs WHERE state IN ('passed', 'failed') AND failure_kind IS NOT 'executor_lost' ORDER BY seq",
    ),
  );
  await control.close();
  let state = 'passed';
  return (rows as { id: number; state: string }[]).flatMap((row) => {
    if (row.state === state) return [];
    state = row.state;
    return [new Date(row.id).toISOString().replaceAll(/[-:.Z]/g, '')];
  });
}

t.test(`each change arrives over ${kills} kills, and again only where its answer was lost`, async (t) => {
  const folder = t.testdir();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  for (let count = 0; count < kills; count += 1) {
    const child = await start(folder, 'run');
    const receivedBefore = receipts.length;
    await sleep(next() * 400);
    // Most kills hit a message on its way; without one for long, the moment is as good as any.
    for (let waited = 0; receipts.length === receivedBefore && waited < 100; waited += 1) await sleep(20);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const last = await start(folder, 'finish');
  if (last.exitCode === null) await once(last, 'exit');
  t.equal(last.exitCode, 0);

  const expected = await listExpectedRuns(folder);
  const arrived = new Set(receipts.flatMap(({ runs }) => runs));
  t.same(
    expected.filter((run) => !arrived.has(run)),
    [],
    'nothing is lost',
  );
  t.same(
    [...arrived].filter((run) => !expected.includes(run)),
    [],
    'nothing is invented',
  );
  for (let number = 1; number <= kills; number += 1) {
    // Its sender was killed, before or after it recorded the answer. The one before it was recorded first.
    const newest = receipts.findLast(({ process: sender }) => sender === number);
    if (newest) newest.isLost = true;
  }
  const byMessage = Map.groupBy(receipts, ({ id }) => id);
  for (const [id, same] of byMessage) {
    t.equal(new Set(same.map(({ text }) => text)).size, 1, `${id} has one content`);
    t.same(
      same.slice(0, -1).filter(({ isLost }) => !isLost),
      [],
      `${id} is repeated only where its answer was lost`,
    );
  }
  const messagesOfRun = Map.groupBy(
    [...byMessage.values()].flatMap(([first]) => first?.runs ?? []),
    (run) => run,
  );
  t.same(
    [...messagesOfRun].filter(([, list]) => list.length > 1),
    [],
    'a change is in one message only',
  );
  const repeated = [...byMessage.values()].filter((same) => same.length > 1).length;
  t.comment(
    `${kills} kills, seed ${seed}: ${expected.length} changes, ${byMessage.size} messages, ${repeated} of them repeated`,
  );
  t.ok(expected.length > 0);
});

t.setTimeout(3_600_000);

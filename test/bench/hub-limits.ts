/** A hub at its limits: large results, hostile connections, many servers, many sessions; each beside the same without it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestBrowser } from '../server/test-browser.ts';
import type { BenchContext } from './bench-context.ts';
import { demanded, hubWith, ownerAt } from './hub.ts';
import { closePlainConnections, openPlainClient } from './hub-plain-client.ts';
import { measureIdleSessions } from './hub-sessions.ts';
import { inTurns, median, quantile, series, timed } from './measure.ts';
import { type Service, serve } from './processes.ts';
import { type Row, ratioAtLeast, under } from './row.ts';

const largeMb = 10;
const manyConnections = 200;
/** As many as a hub may have. */
const connectionsOfHub = 100;
const settleMs = 1000;

/** Rows of a `vp serve` of their own. */
export async function hubLimits(context: BenchContext): Promise<Row[]> {
  const started: Service[] = [];
  const upstream = async (...args: string[]): Promise<string> => {
    const program = context.node('--import', './test/tsx-hook.mjs', 'test/bench/hub-upstream.ts', ...args);
    const service = await serve({ ...program, cwd: process.cwd() }, context.fresh('upstream-log'));
    started.push(service);
    return service.startInfo.url;
  };
  try {
    const direct = await upstream();
    const pipe = await upstream('--pipe', direct);
    const flags = ['--allow-private-upstreams'];
    const program = context.vp('serve', '--json', '--port', '0', '--data', context.fresh('hub'), ...flags);
    const plane = await serve(program, context.fresh('hub-log'));
    started.push(plane);
    const owner = await ownerAt(plane);
    const token = await hubWith(owner, 'bench', [direct]);
    const hub = { url: `${plane.startInfo.url}/agent/mcp`, token };
    const rows = [
      ...(await largeResults(context, plane, { hub, direct, pipe })),
      ...(await hostile(context, plane)),
      ...(await manyServers(context, plane, owner, { hub, direct })),
    ];
    return [...rows, ...(await measureIdleSessions(context, direct))];
  } finally {
    closePlainConnections();
    await Promise.all(started.map((service) => service.stop()));
  }
}

type Targets = { readonly hub: { readonly url: string; readonly token: string }; readonly direct: string };

async function largeResults(
  context: BenchContext,
  plane: Service,
  { hub, direct, pipe }: Targets & { readonly pipe: string },
): Promise<Row[]> {
  const bytes = largeMb * 1_000_000;
  const [through, piped] = [
    await openPlainClient(hub, '2026-07-28', { tool: 'c0__echo', bytes }),
    await openPlainClient({ url: pipe }, '2026-07-28', { tool: 'echo', bytes }),
  ];
  const straight = await openPlainClient({ url: direct }, '2026-07-28', { tool: 'echo', bytes });
  const all = [through, piped, straight].map((call) => series(() => timed(call)));
  await inTurns(context.quick ? 3 : 15, all, context.quick ? 1 : 3);
  const [hubRate = 0, pipeRate = 0, directRate = 0] = all.map(({ samples }) => (largeMb * 1000) / median(samples));
  const before = plane.memoryMb() ?? Number.NaN;
  let peak = before;
  for (let round = 0; round < (context.quick ? 3 : 15); round += 1) {
    await Promise.all([through(), through(), through(), through()]);
    peak = Math.max(peak, plane.memoryMb() ?? 0);
  }
  const floor = { what: `through a pipe of bytes; direct ${directRate.toFixed(0)} MB/s`, value: pipeRate };
  const speed: Row = { measured: `a result of ${largeMb} MB through a hub`, value: hubRate, unit: 'MB/s', floor };
  return [
    ratioAtLeast(speed, 0.7),
    {
      measured: `memory of vp serve, four results of ${largeMb} MB at a time`,
      value: peak,
      unit: 'MB',
      floor: { what: 'after one at a time', value: before },
    },
  ];
}

async function measureHealth({ startInfo }: Service, count: number): Promise<number> {
  const samples: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    samples.push(await timed(async () => (await fetch(`${startInfo.url}/healthz`)).text()));
    await sleep(2);
  }
  return quantile(samples, 0.99);
}

async function hostile(context: BenchContext, plane: Service): Promise<Row[]> {
  const count = context.quick ? 200 : 1000;
  await measureHealth(plane, 50);
  const alone = await measureHealth(plane, count);
  const program = context.node('--import', './test/tsx-hook.mjs', 'test/bench/hub-hostile.ts');
  const env = { ...program.env, TARGET: plane.startInfo.url };
  const attacker = await serve({ ...program, env, cwd: process.cwd() }, context.fresh('attacker-log'));
  try {
    await sleep(settleMs);
    const attacked = await measureHealth(plane, count);
    const floor = { what: 'without them', value: alone };
    return [
      under({ measured: '`/healthz` beside 50 hostile connections, p99', value: attacked, unit: 'ms', floor }, 50),
    ];
  } finally {
    await attacker.stop();
  }
}

async function manyServers(
  context: BenchContext,
  plane: Service,
  owner: TestBrowser,
  { hub, direct }: Targets,
): Promise<Row[]> {
  const turns = context.quick ? 100 : 1000;
  const call = await openPlainClient(hub, '2026-07-28', { tool: 'c0__echo' });
  const alone = series(() => timed(call));
  await inTurns(turns, [alone], 100);
  const before = plane.memoryMb() ?? Number.NaN;
  for (let index = 0; index < manyConnections / connectionsOfHub; index += 1) {
    const slug = `many${index}`;
    const token = await hubWith(
      owner,
      slug,
      Array.from({ length: connectionsOfHub }, () => direct),
    );
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json, text/event-stream' };
    const list = await fetch(hub.url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    await demanded(list);
    const last = `c${connectionsOfHub - 1}__echo`;
    await (await openPlainClient({ url: hub.url, token }, '2026-07-28', { tool: last }))();
  }
  await sleep(settleMs);
  const later = series(() => timed(call));
  await inTurns(turns, [later], 100);
  const floor = { what: 'with one', value: median(alone.samples) };
  return [
    {
      measured: `memory of vp serve with ${manyConnections} upstream connections`,
      value: plane.memoryMb() ?? Number.NaN,
      unit: 'MB',
      floor: { what: 'with one', value: before },
    },
    { measured: `a call then, p50`, value: median(later.samples), unit: 'ms', floor },
  ];
}

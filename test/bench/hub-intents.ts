/** What `--audit-intent` and `--audit-strict` cost: the same calls through hubs that differ in nothing else, in turns. */
import type { BenchContext } from './bench-context.ts';
import { hubWith, ownerAt } from './hub.ts';
import { closeConnections, many, rawCall } from './hub-raw-call.ts';
import { inTurns, median, series, timed } from './measure.ts';
import { type Service, serve } from './processes.ts';
import type { Row } from './row.ts';

const warmUpCalls = 10_000;

const hubs = [
  { what: 'a hub', flags: [] },
  { what: 'a hub with --audit-intent', flags: ['--audit-intent'] },
  { what: 'a hub with --audit-strict', flags: ['--audit-strict'] },
  { what: 'a hub with --audit-strict --audit-intent', flags: ['--audit-strict', '--audit-intent'] },
];

/** Milliseconds of a call, and calls a second with sixteen at a time. */
export async function intents(context: BenchContext): Promise<Row[]> {
  const started: Service[] = [];
  try {
    const program = context.node('--import', './test/tsx-hook.mjs', 'test/bench/hub-upstream.ts');
    const upstream = await serve({ ...program, cwd: process.cwd() }, context.fresh('upstream-log'));
    started.push(upstream);
    const calls: (() => Promise<void>)[] = [];
    for (const { flags } of hubs) {
      const folder = ['--data', context.fresh('intents')];
      const args = ['serve', '--json', '--port', '0', ...folder, '--allow-private-upstreams', ...flags];
      const plane = await serve(context.vp(...args), context.fresh('intents-log'));
      started.push(plane);
      const token = await hubWith(await ownerAt(plane), 'bench', [upstream.startInfo.url]);
      const call = rawCall({ url: `${plane.startInfo.url}/agent/mcp`, name: 'c0__echo', token });
      calls.push(async () => {
        const text = await call();
        if (!text.includes('"hello"')) throw new Error(text.slice(0, 300));
      });
    }
    return await measureHubs(context, calls);
  } finally {
    await Promise.all([...started.map((service) => service.stop()), closeConnections()]);
  }
}

async function measureHubs(context: BenchContext, calls: readonly (() => Promise<void>)[]): Promise<Row[]> {
  const perRound = context.quick ? 160 : 800;
  const measureRate = async (call: () => Promise<void>): Promise<number> => {
    const work = async (): Promise<void> => {
      for (let turn = 0; turn < perRound / many; turn += 1) await call();
    };
    return (perRound * 1000) / (await timed(() => Promise.all(Array.from({ length: many }, work))));
  };
  const rates = calls.map((call) => series(() => measureRate(call)));
  await inTurns(context.quick ? 1 : 15, rates, context.quick ? 1 : warmUpCalls / perRound);
  const alone = calls.map((call) => series(() => timed(call)));
  // A strict call waits for a checkpoint, 50 ms, and one with both flags for two.
  await inTurns(context.quick ? 50 : 300, alone, 20);
  const toRows = (samples: readonly { readonly samples: readonly number[] }[], suffix: string, unit: Row['unit']) => {
    const [plain = 0, ...values] = samples.map((one) => median(one.samples));
    const floor = { what: 'a hub without it', value: plain };
    return values.map((value, index) => ({
      measured: `${hubs[index + 1]?.what ?? ''}, ${suffix}`,
      value,
      unit,
      floor,
    }));
  };
  return [...toRows(alone, 'a call, p50', 'ms'), ...toRows(rates, `${many} calls at a time`, 'calls/s')];
}

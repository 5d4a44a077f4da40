/** The first calls of a hub after its start: of several starts, because one alone shows the moment more than the hub. */
import type { BenchContext } from './bench-context.ts';
import { hubWith, ownerAt } from './hub.ts';
import { openPlainClient } from './hub-plain-client.ts';
import { median, timed } from './measure.ts';
import { serve } from './processes.ts';

export const coldCalls = 200;
/** The client and the server of a hub that is started anew have been at work for a while. */
const callsBeforeStart = 3000;

type ColdCalls = { readonly firstMs: number; readonly medianMs: number };

/** The first call, and the median of the first ones. */
async function measureCold(context: BenchContext, url: string): Promise<ColdCalls> {
  const flags = ['--data', context.fresh('cold-hub'), '--allow-private-upstreams'];
  const plane = await serve(context.vp('serve', '--json', '--port', '0', ...flags), context.fresh('cold-hub-log'));
  try {
    const token = await hubWith(await ownerAt(plane), 'bench', [url]);
    const target = { url: `${plane.startInfo.url}/agent/mcp`, token };
    const hub = await openPlainClient(target, '2025-06-18', { tool: 'c0__echo' });
    const samples: number[] = [];
    for (let turn = 0; turn < coldCalls; turn += 1) samples.push(await timed(hub));
    return { firstMs: samples[0] ?? 0, medianMs: median(samples) };
  } finally {
    await plane.stop();
  }
}

/** Medians of several starts. */
export async function measureColdStarts(context: BenchContext, url: string): Promise<ColdCalls> {
  const direct = await openPlainClient({ url }, '2025-06-18', { tool: 'echo' });
  for (let turn = 0; turn < callsBeforeStart; turn += 1) await direct();
  const starts: ColdCalls[] = [];
  for (let start = 0; start < (context.quick ? 2 : 7); start += 1) starts.push(await measureCold(context, url));
  return {
    firstMs: median(starts.map(({ firstMs }) => firstMs)),
    medianMs: median(starts.map(({ medianMs }) => medianMs)),
  };
}

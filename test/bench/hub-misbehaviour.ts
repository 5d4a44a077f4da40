/**
 * What a server that misbehaves does to the calls of another one of the same hub. Such a server, and whoever calls it, take
 * time of the same machine; so the floor is the same hub while somebody calls that server past it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench-context.ts';
import { type CallTo, many, rawCall } from './hub-raw-call.ts';
import { inTurns, quantile, series, timed } from './measure.ts';
import { serve } from './processes.ts';
import { type Row, withMaxRatio } from './row.ts';

const burstCalls = 600;
const settleMs = 300;
/** A tool of the server that misbehaves, and what it does. */
const misbehaviours = [
  ['hangs', 'hangs in 16 calls'],
  ['dies', 'breaks every call off'],
  ['notifies', 'sends 1,000 notifications a call'],
  ['large', 'answers with 50 MB'],
] as const;

/** A hub with two connections: `c0` is good, `c1` is the server at `badUrl`. */
export type MisbehaviourSetup = { readonly hub: Omit<CallTo, 'name'>; readonly badUrl: string };

/** Runs `work` while a program calls a tool again and again. */
async function whileCalled<T>(
  context: BenchContext,
  target: CallTo,
  atOnce: number,
  work: () => Promise<T>,
): Promise<T> {
  const program = context.node('--import', './test/tsx-hook.mjs', 'test/bench/hub-caller.ts');
  const env = { ...program.env, CALLER: JSON.stringify({ ...target, atOnce }) };
  const caller = await serve({ ...program, env, cwd: process.cwd() }, context.fresh('caller-log'));
  try {
    await sleep(settleMs);
    return await work();
  } finally {
    await caller.stop();
    await sleep(settleMs);
  }
}

/** 99 % of the good server's calls, in milliseconds. */
export async function measureMisbehaviour(context: BenchContext, { hub, badUrl }: MisbehaviourSetup): Promise<Row[]> {
  const good = rawCall({ ...hub, name: 'c0__echo' });
  const burst = async (): Promise<number[]> => {
    const times: number[] = [];
    for (let turn = 0; turn < (context.quick ? 100 : burstCalls); turn += 1) times.push(await timed(good));
    return times;
  };
  const rows: Row[] = [];
  for (const [tool, description] of misbehaviours) {
    const atOnce = tool === 'hangs' ? many : 1;
    const past = series(() => whileCalled(context, { url: badUrl, name: tool }, atOnce, burst));
    const through = series(() => whileCalled(context, { ...hub, name: `c1__${tool}` }, atOnce, burst));
    await inTurns(context.quick ? 1 : 7, [past, through], context.quick ? 0 : 1);
    const [floor = 0, value = 0] = [past, through].map(({ samples }) => quantile(samples.flat(), 0.99));
    const measured = `99 % of calls answered, while another server ${description}`;
    const floorName = 'the same while it is called past the hub';
    rows.push(withMaxRatio({ measured, value, unit: 'ms', floor: { what: floorName, value: floor } }, 1.3));
  }
  return rows;
}

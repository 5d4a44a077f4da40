/** Calls one tool again and again until it is ended; what to call stands in the variable `CALLER`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallTo, rawCall } from './hub-raw-call.ts';

const { atOnce, ...to }: CallTo & { readonly atOnce: number } = JSON.parse(process.env.CALLER ?? '{}');
const pauseMs = 20;
/** As much of an answer as a hub reads. */
const mostBytes = 20_000_000;
const call = rawCall(to, mostBytes);

async function again(): Promise<never> {
  for (;;) {
    await call().catch(() => {});
    await sleep(pauseMs);
  }
}

for (let at = 0; at < atOnce; at += 1) void again();
process.stdout.write(`${JSON.stringify({ url: to.url })}\n`);

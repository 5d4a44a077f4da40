/** Calls one tool again and again until it is ended; what to call stands in the variable `CALLER`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallTo, rawCall } from './hub-raw-call.ts';

const { atOnce, ...target }: CallTo & { readonly atOnce: number } = JSON.parse(process.env.CALLER ?? '{}');
const pauseMs = 20;
/** As much of an answer as a hub reads. */
const maxBytes = 20_000_000;
const call = rawCall(target, maxBytes);

async function again(): Promise<never> {
  for (;;) {
    await call().catch(() => {});
    await sleep(pauseMs);
  }
}

for (let index = 0; index < atOnce; index += 1) void again();
process.stdout.write(`${JSON.stringify({ url: target.url })}\n`);

/** How often and how many at once: a bucket for each limit and each token, person or tool. */
import type { CallLimit } from '../../contract/hub-policy-api.ts';
import type { Refusal } from './judge.ts';
import { matchesTool } from './tool-pattern.ts';

/** Who calls what, as limits count it. */
export type Counted = {
  readonly hubId: string;
  readonly token: string;
  readonly person: string;
  /** As callers name it. */
  readonly tool: string;
};

/** A place, to be given back when the call has ended; or the refusal. */
export type Place = { readonly release: () => void } | { readonly refusal: Refusal };

type Bucket = { left: number; atMs: number; active: number };

const minuteMs = 60_000;
/** Buckets that are kept; beyond, full ones that nobody uses are forgotten first. */
const mostBuckets = 20_000;

/** Counts calls. `nowMs` never jumps back. */
export class CallLimits {
  readonly #buckets = new Map<string, Bucket>();

  /** A place under all limits, or the first one that leaves none; nothing is counted then. */
  enter(limits: readonly CallLimit[], call: Counted, nowMs: number): Place {
    const applying = limits.filter(({ tools }) => tools === undefined || matchesTool(tools, call.tool));
    const held = applying.map((limit) => ({ limit, bucket: this.#bucket(limit, call, nowMs) }));
    for (const { limit, bucket } of held) {
      const refusal = refusalOf(limit, bucket);
      if (refusal) return { refusal };
    }
    for (const { bucket } of held) {
      bucket.left -= 1;
      bucket.active += 1;
    }
    return { release: releasing(held.map(({ bucket }) => bucket)) };
  }

  #bucket(limit: CallLimit, call: Counted, nowMs: number): Bucket {
    const whole = limit.calls_a_minute ?? Number.POSITIVE_INFINITY;
    const key = `${call.hubId}\0${limit.per}\0${limit.tools ?? '*'}\0${whole}\0${call[limit.per]}`;
    const bucket = this.#buckets.get(key) ?? { left: whole, atMs: nowMs, active: 0 };
    bucket.left = Math.min(whole, bucket.left + (Math.max(0, nowMs - bucket.atMs) / minuteMs) * whole) || 0;
    if (whole === Number.POSITIVE_INFINITY) bucket.left = whole;
    bucket.atMs = nowMs;
    if (!this.#buckets.has(key) && this.#buckets.size >= mostBuckets) this.#forget(nowMs);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** A bucket that nobody used for a minute is full again. */
  #forget(nowMs: number): void {
    for (const [key, { atMs, active }] of this.#buckets)
      if (active === 0 && nowMs - atMs >= minuteMs) this.#buckets.delete(key);
  }
}

function refusalOf(
  { per, calls_a_minute: rate, at_once: most }: CallLimit,
  { left, active }: Bucket,
): Refusal | undefined {
  const whose = { token: 'with this token', person: 'by this person', tool: 'to this tool' }[per];
  if (most !== undefined && active >= most)
    return { reason: `${most} calls ${whose} are under way already`, cure: 'wait until one of them has ended' };
  if (rate === undefined || left >= 1) return undefined;
  const seconds = Math.ceil(((1 - left) * 60) / rate);
  return { reason: `more than ${rate} calls a minute ${whose}`, cure: `try again in ${seconds} s` };
}

function releasing(buckets: readonly Bucket[]): () => void {
  let isHeld = true;
  return () => {
    if (isHeld) for (const bucket of buckets) bucket.active -= 1;
    isHeld = false;
  };
}

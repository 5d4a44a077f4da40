/** Limits how often and how many at once: one token bucket per limit and token, person or tool. */
import type { CallLimit } from '../../contract/hubs/policy-api.ts';
import type { PolicyRefusal } from './call-policy.ts';
import { matchesTool } from './tool-pattern.ts';

/** What limits count by. */
export type CallKey = {
  readonly hubId: string;
  readonly token: string;
  readonly person: string;
  /** The public name. */
  readonly tool: string;
};

/** A reservation to release when the call ends, or the refusal. */
export type LimitReservation = { readonly release: () => void } | { readonly refusal: PolicyRefusal };

type Bucket = { remaining: number; atMs: number; active: number };

const minuteMs = 60_000;
/** Beyond this number, idle full buckets are dropped. */
const maxBuckets = 20_000;

/** `nowMs` must be monotonic. */
export class CallRateLimiter {
  readonly #buckets = new Map<string, Bucket>();

  /** Reserves under all limits, or returns the first refusal without counting the call. */
  reserve(limits: readonly CallLimit[], call: CallKey, nowMs: number): LimitReservation {
    const applicable = limits.filter(({ tools }) => tools === undefined || matchesTool(tools, call.tool));
    const reservations = applicable.map((limit) => ({ limit, bucket: this.#bucket(limit, call, nowMs) }));
    for (const { limit, bucket } of reservations) {
      const refusal = findLimitRefusal(limit, bucket);
      if (refusal) return { refusal };
    }
    for (const { bucket } of reservations) {
      bucket.remaining -= 1;
      bucket.active += 1;
    }
    return { release: createRelease(reservations.map(({ bucket }) => bucket)) };
  }

  #bucket(limit: CallLimit, call: CallKey, nowMs: number): Bucket {
    const capacity = limit.calls_a_minute ?? Number.POSITIVE_INFINITY;
    const key = `${call.hubId}\0${limit.per}\0${limit.tools ?? '*'}\0${capacity}\0${call[limit.per]}`;
    const bucket = this.#buckets.get(key) ?? { remaining: capacity, atMs: nowMs, active: 0 };
    bucket.remaining =
      Math.min(capacity, bucket.remaining + (Math.max(0, nowMs - bucket.atMs) / minuteMs) * capacity) || 0;
    if (capacity === Number.POSITIVE_INFINITY) bucket.remaining = capacity;
    bucket.atMs = nowMs;
    if (!this.#buckets.has(key) && this.#buckets.size >= maxBuckets) this.#dropIdle(nowMs);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** A bucket that is unused for a minute is full again. */
  #dropIdle(nowMs: number): void {
    for (const [key, { atMs, active }] of this.#buckets)
      if (active === 0 && nowMs - atMs >= minuteMs) this.#buckets.delete(key);
  }
}

function findLimitRefusal(
  { per, calls_a_minute: rate, at_once: max }: CallLimit,
  { remaining, active }: Bucket,
): PolicyRefusal | undefined {
  const scopeText = { token: 'with this token', person: 'by this person', tool: 'to this tool' }[per];
  if (max !== undefined && active >= max)
    return {
      reason: `${max} calls ${scopeText} are already in progress`,
      cure: 'wait until one of them ends; owners of the hub change the limit in its policy',
    };
  if (rate === undefined || remaining >= 1) return undefined;
  const seconds = Math.ceil(((1 - remaining) * 60) / rate);
  return {
    reason: `more than ${rate} calls a minute ${scopeText}`,
    cure: `try again in ${seconds} s; owners of the hub change the limit in its policy`,
  };
}

function createRelease(buckets: readonly Bucket[]): () => void {
  let isReserved = true;
  return () => {
    if (isReserved) for (const bucket of buckets) bucket.active -= 1;
    isReserved = false;
  };
}

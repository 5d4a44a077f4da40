/** A target that logs requests, and delays its responses while its gate is closed. */
import type { Test } from 'tap';
import { eventually } from '../eventually.ts';
import { getHeader, type HttpTarget, respondWithJson, startHttpTarget } from '../targets/http-target.ts';

/** Responds with `{"count": 3}`. */
export type GatedTarget = {
  readonly origin: string;
  /** Correlation ids in the order in which their requests arrived. */
  readonly log: readonly string[];
  /** Resolves when `count` requests have arrived. */
  arrivals(count: number): Promise<void>;
  /** Requests from now on get no response until `open`. */
  close(): void;
  /** Responds to pending requests, and to all from now on. */
  open(): void;
  /** Forgets what has arrived. */
  clear(): void;
};

/** Starts with the gate open. Each response is delayed by `delayMs`. */
export async function startGatedTarget(t: Test, delayMs = 0): Promise<GatedTarget> {
  let closed = false;
  const pendingResponses: (() => void)[] = [];
  const respondWithCount = respondWithJson({ count: 3 });
  const target: HttpTarget = await startHttpTarget((request, response, arrived) => {
    const respond = (): void => respondWithCount(request, response, arrived);
    if (closed) pendingResponses.push(respond);
    else if (delayMs === 0) respond();
    else setTimeout(respond, delayMs);
  });
  t.teardown(() => target.close());
  const log = (): string[] => target.arrived.map((arrival) => getHeader(arrival, 'x-correlation-id') ?? 'none');
  return {
    origin: target.origin,
    get log() {
      return log();
    },
    async arrivals(count) {
      await eventually(() => target.arrived.length, {
        until: (arrived) => arrived >= count,
        description: `${count} requests at the target`,
      });
    },
    close() {
      closed = true;
    },
    open() {
      closed = false;
      for (const respond of pendingResponses.splice(0)) respond();
    },
    clear() {
      target.arrived.length = 0;
    },
  };
}

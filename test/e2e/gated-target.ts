/** A target that keeps a log of what reached it, and holds its answers back while its gate is closed. */
import type { Test } from 'tap';
import { type HttpTarget, headerIn, httpTarget, json } from '../targets/http-target.ts';
import { eventually } from './processes.ts';

/** Answers `{"count": 3}`, unless a test says otherwise. */
export type GatedTarget = {
  readonly origin: string;
  /** Correlation ids in the order in which their requests arrived. */
  readonly log: readonly string[];
  /** Resolves when `count` requests have arrived. */
  arrivals(count: number): Promise<void>;
  /** From now on requests are kept without an answer. */
  close(): void;
  /** Answers what is kept, and everything from now on. */
  open(): void;
};

/** Starts with the gate open. It thinks for `delayMs` about every answer. */
export async function gatedTarget(t: Test, delayMs = 0): Promise<GatedTarget> {
  let closed = false;
  const kept: (() => void)[] = [];
  const answer = json({ count: 3 });
  const target: HttpTarget = await httpTarget((request, response, arrived) => {
    const go = (): void => answer(request, response, arrived);
    if (closed) kept.push(go);
    else if (delayMs === 0) go();
    else setTimeout(go, delayMs);
  });
  t.teardown(() => target.close());
  const log = (): string[] => target.arrived.map((one) => headerIn(one, 'x-correlation-id') ?? 'none');
  return {
    origin: target.origin,
    get log() {
      return log();
    },
    async arrivals(count) {
      await eventually(`${count} requests at the target`, () => (target.arrived.length >= count ? true : undefined));
    },
    close() {
      closed = true;
    },
    open() {
      closed = false;
      for (const go of kept.splice(0)) go();
    },
  };
}

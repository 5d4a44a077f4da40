/** New calls of a hub's audit as server-sent events. A slow reader loses the oldest calls and gets their number. */

import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { Latch } from '../../timing/latch.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';

const maxBufferedCalls = 500;
const heartbeatMs = 15_000;
/** Calls within this time are sent together. */
const batchWindowMs = 250;

/** Buffered calls for one reader. */
export type AuditCallStream = {
  readonly add: (call: AuditCall) => void;
  /** Somebody's access has ended: checks at once whether this reader is allowed. */
  readonly recheck: () => void;
  readonly close: () => void;
  /** The texts of the stream; `isAllowed` is checked before each one, `onEnd` is called once. */
  texts(signal: AbortSignal, isAllowed: () => Promise<boolean>, onEnd: () => void): AsyncGenerator<string, void>;
};

export function createAuditCallStream(clock: Clock): AuditCallStream {
  const controller = new AbortController();
  let buffer: AuditCall[] = [];
  let droppedCount = 0;
  const latch = new Latch(clock);
  const drainBuffer = (): string => {
    const droppedEvent = droppedCount > 0 ? `event: lost\ndata: {"calls":${droppedCount}}\n\n` : '';
    const texts = buffer.map((call) => `event: call\nid: ${call.seq}\ndata: ${JSON.stringify(call)}\n\n`);
    [buffer, droppedCount] = [[], 0];
    return droppedEvent + texts.join('');
  };
  return {
    add(call) {
      buffer.push(call);
      if (buffer.length > maxBufferedCalls) {
        buffer.shift();
        droppedCount += 1;
      }
      latch.set();
    },
    recheck: () => latch.set(),
    close: () => controller.abort(),
    async *texts(signal, isAllowed, onEnd) {
      const combinedSignal = AbortSignal.any([signal, controller.signal]);
      try {
        // Access may have ended since the request was authenticated.
        if (!(await isAllowed())) return;
        yield ': following\n\n';
        let heartbeatAtMs = clock.monotonicMs() + heartbeatMs;
        while (!combinedSignal.aborted) {
          await latch.wait(heartbeatAtMs - clock.monotonicMs(), combinedSignal);
          if (buffer.length > 0) await pauseUntilAborted(clock, batchWindowMs, combinedSignal);
          latch.reset();
          if (combinedSignal.aborted) return;
          const isQuiet = clock.monotonicMs() >= heartbeatAtMs;
          // Taken before the check: what comes during it may be more than the reader is allowed.
          const text = buffer.length > 0 ? drainBuffer() : isQuiet ? ': still here\n\n' : '';
          if (!(await isAllowed())) return;
          if (text === '') continue;
          yield text;
          heartbeatAtMs = clock.monotonicMs() + heartbeatMs;
        }
      } finally {
        onEnd();
      }
    },
  };
}

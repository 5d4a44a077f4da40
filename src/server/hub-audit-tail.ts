/** Calls of a hub's audit as server-sent events. A reader that is too slow loses the oldest and is told how many. */
import type { AuditCall } from '../contract/hub-audit-api.ts';
import type { Clock } from '../environment/clock.ts';

const mostWaiting = 500;
const heartbeatMs = 15_000;
/** Calls of this time are sent together. */
const gatherMs = 250;

/** Calls on their way to one reader. */
export type CallTail = {
  readonly add: (call: AuditCall) => void;
  readonly end: () => void;
  /** The texts of the stream; `isStill` is asked again and again whether the reader may go on, `over` is called once. */
  texts(signal: AbortSignal, isStill: () => Promise<boolean>, over: () => void): AsyncGenerator<string, void>;
};

/** See the file's header. */
export function callTail(clock: Clock): CallTail {
  const ended = new AbortController();
  let waiting: AuditCall[] = [];
  let lost = 0;
  let wake = Promise.withResolvers<void>();
  const take = (): string => {
    const missed = lost > 0 ? `event: lost\ndata: {"calls":${lost}}\n\n` : '';
    const texts = waiting.map((call) => `event: call\nid: ${call.seq}\ndata: ${JSON.stringify(call)}\n\n`);
    [waiting, lost] = [[], 0];
    wake = Promise.withResolvers();
    return missed + texts.join('');
  };
  return {
    add(call) {
      waiting.push(call);
      if (waiting.length > mostWaiting) {
        waiting.shift();
        lost += 1;
      }
      wake.resolve();
    },
    end: () => ended.abort(),
    async *texts(signal, isStill, over) {
      const whole = AbortSignal.any([signal, ended.signal]);
      const pause = (ms: number): Promise<void> => clock.sleep(ms, whole).catch(() => undefined);
      try {
        yield ': following\n\n';
        while (!whole.aborted) {
          await Promise.race([wake.promise, pause(heartbeatMs)]);
          if (waiting.length > 0) await pause(gatherMs);
          if (whole.aborted || !(await isStill())) return;
          yield waiting.length > 0 ? take() : ': still here\n\n';
        }
      } finally {
        over();
      }
    },
  };
}

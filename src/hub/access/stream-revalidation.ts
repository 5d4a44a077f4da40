/** Long-lived streams: authorized once, then rechecked when access ends somewhere, and at intervals. */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../environment/clock.ts';
import { isObject } from '../../json/json-object.ts';
import { type McpReply, StreamReply } from '../downstream/mcp-http.ts';

/** A stream outlives a token that expires, or that another process revoked, by at most this long. */
export const recheckIntervalMs = 15_000;

/** With a few reads of the store each, so many take a millisecond or two. */
const checksAtOnce = 20;
const dueChecks = new Set<() => Promise<void>>();
let isChecking = false;

/** A hub has thousands of open streams, all of which are checked when somebody's access ends: others get turns between them. */
function checkInTurns(check: () => Promise<void>): void {
  dueChecks.add(check);
  if (!isChecking) void makeDueChecks();
}

async function makeDueChecks(): Promise<void> {
  isChecking = true;
  while (dueChecks.size > 0) {
    await setImmediate();
    const checks = [...dueChecks].slice(0, checksAtOnce);
    for (const check of checks) dueChecks.delete(check);
    await Promise.allSettled(checks.map((check) => check()));
  }
  isChecking = false;
}

/** Calls a listener when a token, grant, account, membership or hub has ended, of whomever; the returned function stops that. */
export type OnAccessEnded = (listener: () => void) => () => void;

/** True if the response lasts until the reader leaves. */
export function isStreamRequest(request: Pick<Request, 'method'>, body: unknown): boolean {
  if (request.method === 'GET') return true;
  return isObject(body) && 'method' in body && body.method === 'subscriptions/listen';
}

/** The stream of the reply ends once `isAuthorized` resolves to false or rejects. Returns the reply. */
export function endWhenRevoked(
  reply: McpReply,
  isAuthorized: () => Promise<boolean>,
  clock: Pick<Clock, 'after'>,
  onAccessEnded: OnAccessEnded,
): McpReply {
  const stream = reply instanceof StreamReply ? reply.stream : undefined;
  if (!stream) return reply;
  let isBeingChecked = false;
  /** Access ended while it was being checked, of which the check may know nothing. */
  let mustCheckAgain = false;
  const check = async (): Promise<void> => {
    mustCheckAgain = isBeingChecked;
    if (isBeingChecked || stream.isClosed) return;
    isBeingChecked = true;
    do {
      mustCheckAgain = false;
      if (!(await isAuthorized().catch(() => false))) stream.close();
    } while (mustCheckAgain && !stream.isClosed);
    isBeingChecked = false;
    if (stream.isClosed) stopListening();
  };
  const stopListening = onAccessEnded(() => checkInTurns(check));
  // It may have ended since the request was authenticated.
  void check();
  const recheck = (): void => {
    void check();
    if (stream.isClosed) stopListening();
    else clock.after(recheckIntervalMs, recheck);
  };
  clock.after(recheckIntervalMs, recheck);
  return reply;
}

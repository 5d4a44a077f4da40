/** Long-lived streams: authorized once, then rechecked at intervals. */
import type { Clock } from '../../environment/clock.ts';
import { isObject } from '../../json/json-object.ts';
import { type McpReply, StreamReply } from '../downstream/mcp-http.ts';

/** A stream outlives its token, grant or membership by at most this long. */
export const recheckIntervalMs = 15_000;

/** True if the response lasts until the reader leaves. */
export function isStreamRequest(request: Pick<Request, 'method'>, body: unknown): boolean {
  if (request.method === 'GET') return true;
  return isObject(body) && 'method' in body && body.method === 'subscriptions/listen';
}

/** The stream of the reply ends soon after `isAuthorized` resolves to false or rejects. Returns the reply. */
export function endWhenRevoked(
  reply: McpReply,
  isAuthorized: () => Promise<boolean>,
  clock: Pick<Clock, 'after'>,
): McpReply {
  const stream = reply instanceof StreamReply ? reply.stream : undefined;
  const recheck = async (): Promise<void> => {
    if (!stream || stream.isClosed) return;
    const isStillAuthorized = await isAuthorized().catch(() => false);
    if (isStillAuthorized) clock.after(recheckIntervalMs, () => void recheck());
    else stream.close();
  };
  if (stream) clock.after(recheckIntervalMs, () => void recheck());
  return reply;
}

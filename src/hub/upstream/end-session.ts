/** The end of a session, told to the server: it would keep what belongs to it, and wait for answers, as long as it likes. */
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';

/** Nobody waits longer for a server that does not answer. */
const boundMs = 1000;

/** Closes a client, after it has ended its session where it has one. Never throws. */
export async function closeClient(client: Client, clock: Pick<Clock, 'after'>): Promise<void> {
  const { transport } = client;
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    const bound = Promise.withResolvers<void>();
    const cancel = clock.after(boundMs, () => bound.resolve());
    await Promise.race([transport.terminateSession().catch(() => {}), bound.promise]);
    cancel();
  }
  await client.close().catch(() => {});
}

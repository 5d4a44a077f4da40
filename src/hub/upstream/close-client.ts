/** Terminates the session at the server, which would otherwise keep its state. */
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';

const terminationTimeoutMs = 1000;

/** Never throws. */
export async function closeClient(client: Client, clock: Pick<Clock, 'after'>): Promise<void> {
  const { transport } = client;
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    const timeout = Promise.withResolvers<void>();
    const cancel = clock.after(terminationTimeoutMs, () => timeout.resolve());
    await Promise.race([transport.terminateSession().catch(() => {}), timeout.promise]);
    cancel();
  }
  await client.close().catch(() => {});
}

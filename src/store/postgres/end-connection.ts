import type { Client } from 'pg';

const maxEndMs = 2_000;

/**
 * Ends a session. The driver waits for the server to close the connection, without a limit: one that was cut in silence would
 * keep its caller waiting, and with it a replica from handing over. It is destroyed instead. Never rejects.
 */
export async function endConnection(client: Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), maxEndMs);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

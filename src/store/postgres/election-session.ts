/** A connection of `pg` for the election. */
import type { Client } from 'pg';
import { type ElectionClient, releaseChannel } from './election.ts';

export type ElectionSession = ElectionClient & {
  /** `listener` is called when the connection ends, and when the active replica has released its role. */
  onEvent(listener: () => void): void;
  close(): Promise<void>;
};

/** `client` is connected. Behind a pooler that shares connections, releases are seen by polling only. */
export async function createElectionSession(client: Client): Promise<ElectionSession> {
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  client.on('error', notify);
  client.on('end', notify);
  client.on('notification', notify);
  await client.query(`LISTEN ${releaseChannel}`);
  return {
    query: (text, values) => client.query(text, values),
    onEvent: (listener) => void listeners.add(listener),
    close: () => client.end(),
  };
}

/** A connection of `pg` for the election. */

import { releaseChannel } from './active-term.ts';
import type { PostgresConnection } from './connect.ts';
import type { ElectionClient } from './election.ts';

export type ElectionSession = ElectionClient & {
  /** `listener` is called when the connection ends, and when the active replica has released its role. */
  onEvent(listener: () => void): void;
  close(): Promise<void>;
};

/** Behind a pooler that shares connections, releases are seen by polling only. */
export async function createElectionSession({
  client,
  describeError,
}: Pick<PostgresConnection, 'client' | 'describeError'>): Promise<ElectionSession> {
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  client.on('error', notify);
  client.on('end', notify);
  client.on('notification', notify);
  await client.query(`LISTEN ${releaseChannel}`);
  return {
    async query(text, values) {
      try {
        return await client.query(text, values);
      } catch (error) {
        throw describeError(error);
      }
    },
    onEvent: (listener) => void listeners.add(listener),
    close: () => client.end(),
  };
}

/** A connection of `pg` for the election. */

import type { Client } from 'pg';
import { Listeners } from '../../listeners/listeners.ts';
import { releaseChannel } from './active-term.ts';
import type { PostgresConnection } from './connect.ts';
import type { ElectionClient } from './election.ts';
import { endConnection } from './end-connection.ts';

export type ElectionSession = ElectionClient & {
  /** A pooler stands between: no lock of a session may be left on it. */
  readonly isPooled: boolean;
  /** `listener` is called when the connection ends, and when the active replica has released its role. */
  onEvent(listener: () => void): void;
  close(): Promise<void>;
};

type ElectionPeer = Pick<PostgresConnection, 'describeError'> & {
  readonly client: Client;
  readonly server: Pick<PostgresConnection['server'], 'isPooled'>;
};

/** Through a pooler, releases are seen by polling only. */
export async function createElectionSession({ client, server, describeError }: ElectionPeer): Promise<ElectionSession> {
  const listeners = new Listeners();
  const notify = (): void => listeners.notify();
  client.on('error', notify);
  client.on('end', notify);
  client.on('notification', notify);
  const { isPooled } = server;
  const query: ElectionSession['query'] = async (text, values) => {
    try {
      return await client.query(text, values);
    } catch (error) {
      throw describeError(error);
    }
  };
  if (!isPooled) await query(`LISTEN ${releaseChannel}`);
  return {
    isPooled,
    query,
    onEvent: (listener) => void listeners.add(listener),
    close: () => endConnection(client),
  };
}

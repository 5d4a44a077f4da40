/** Connections as the gateway works with them: without a caller, with their secrets opened one by one. */
import { vpError } from '../errors/vp-error.ts';
import { seal, unseal } from '../secrets/sealing.ts';
import {
  connectionsOfHub,
  deleteUpstreamGrant,
  findConnection,
  noteConnectionState,
  noteConnectionWarning,
  putUpstreamGrant,
  sealedConnection,
  sealedUpstreamGrant,
} from '../store/control/hub-connections.ts';
import { membershipsOf } from '../store/control/hub-members.ts';
import { connectionOf, openSecret } from './connections-credential.ts';
import { grantPlace } from './connections-grant.ts';
import type { HubContext } from './hubs-context.ts';
import type { ConnectionBook, ConnectionSecrets } from './words.ts';

const longestError = 500;

/** See {@link ConnectionBook}. */
export function connectionBook(context: HubContext, onChange: ConnectionBook['onChange']): ConnectionBook {
  const { database, clock } = context;
  return {
    ofHub: (hubId) =>
      database.read((sql) =>
        connectionsOfHub(sql, hubId)
          .filter(({ enabled }) => enabled === 1)
          .map(connectionOf),
      ),
    find: (id) =>
      database.read((sql) => {
        const row = findConnection(sql, id);
        return row && connectionOf(row);
      }),
    async noteState(id, state, error) {
      const lastError = error?.slice(0, longestError) ?? null;
      const row = await database.read((sql) => findConnection(sql, id));
      // Each call would note the same again.
      if (!row || (row.state === state && row.last_error === lastError)) return;
      await database.write((sql) => noteConnectionState(sql, id, { state, lastError, nowMs: clock.nowMs() }));
    },
    async noteWarning(id, warning) {
      const text = warning?.slice(0, longestError) ?? null;
      const row = await database.read((sql) => findConnection(sql, id));
      if (row && row.warning !== text) await database.write((sql) => noteConnectionWarning(sql, id, text));
    },
    onChange,
    secrets: secretsOf(context),
  };
}

function secretsOf(context: HubContext): ConnectionSecrets {
  const { database, keys, random, clock } = context;
  const opened = (id: string, person: string | undefined, sealed: Uint8Array): string => {
    const plain = unseal(keys.dataKey, grantPlace(id, person), sealed);
    if (!plain) throw vpError('INTERNAL', {}, { detail: `a grant of connection ${id} was not sealed for it` });
    return Buffer.from(plain).toString();
  };
  const secretOf = (id: string, kind: 'header' | 'oauth') =>
    database.read((sql) => {
      const row = findConnection(sql, id);
      const sealed = row?.credential === kind ? sealedConnection(sql, id) : undefined;
      return row && sealed ? { header: row.header ?? '', value: openSecret(context, id, sealed) } : undefined;
    });
  return {
    async header(id) {
      const found = await secretOf(id, 'header');
      return found && { name: found.header, value: found.value };
    },
    clientSecret: async (id) => (await secretOf(id, 'oauth'))?.value,
    async oauthState(id, person) {
      const sealed = await database.read((sql) => sealedUpstreamGrant(sql, id, person ?? null));
      return sealed && opened(id, person, sealed);
    },
    keepOauthState(id, person, state, { was, revision }) {
      const personId = person ?? null;
      return database.write((sql) => {
        // All of it may have changed while its upstream was asked.
        const row = findConnection(sql, id);
        if (!row || (revision !== undefined && row.revision !== revision)) return false;
        if (person !== undefined && !membershipsOf(sql, person).some((one) => one.hub_id === row.hub_id)) return false;
        const now = sealedUpstreamGrant(sql, id, personId);
        if ((now && opened(id, person, now)) !== was) return false;
        if (state === undefined) deleteUpstreamGrant(sql, id, personId);
        else {
          const sealed = seal(keys.dataKey, grantPlace(id, person), Buffer.from(state), random);
          putUpstreamGrant(sql, id, personId, { sealed, nowMs: clock.nowMs() });
        }
        return true;
      });
    },
  };
}

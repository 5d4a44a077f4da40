/** Connections for the gateway: without a caller, with secrets unsealed one at a time. */
import { vpError } from '../../errors/vp-error.ts';
import { seal, unseal } from '../../secrets/sealing.ts';
import {
  deleteUpstreamGrant,
  findConnection,
  findConnectionSecret,
  findUpstreamGrant,
  listConnections,
  saveUpstreamGrant,
  updateConnectionState,
  updateConnectionWarning,
} from '../../store/control/hubs/connections.ts';
import { listPersonMemberships } from '../../store/control/hubs/members.ts';
import type { HubContext } from '../context.ts';
import { getGrantSealContext } from '../sign-in/stored-sign-ins.ts';
import type { ConnectionRepository, ConnectionSecrets } from './connection.ts';
import { toUpstreamConnection, unsealConnectionSecret } from './credential.ts';

const maxErrorLength = 500;

export function createConnectionRepository(
  context: HubContext,
  onChange: ConnectionRepository['onChange'],
): ConnectionRepository {
  const { database, clock } = context;
  return {
    listEnabled: (hubId) =>
      database.read((sql) =>
        listConnections(sql, hubId)
          .filter(({ enabled }) => enabled === 1)
          .map(toUpstreamConnection),
      ),
    find: (id) =>
      database.read((sql) => {
        const row = findConnection(sql, id);
        return row && toUpstreamConnection(row);
      }),
    findMemory: (hubId) =>
      database.read((sql) => {
        const row = listConnections(sql, hubId).find(({ kind }) => kind === 'memory');
        return row && toUpstreamConnection(row);
      }),
    async recordState(id, state, error) {
      const lastError = error?.slice(0, maxErrorLength) ?? null;
      const row = await database.read((sql) => findConnection(sql, id));
      // Avoid a write for every call.
      if (!row || (row.state === state && row.last_error === lastError)) return;
      await database.write((sql) => updateConnectionState(sql, id, { state, lastError, nowMs: clock.nowMs() }));
    },
    async recordWarning(id, warning) {
      const text = warning?.slice(0, maxErrorLength) ?? null;
      const row = await database.read((sql) => findConnection(sql, id));
      if (row && row.warning !== text) await database.write((sql) => updateConnectionWarning(sql, id, text));
    },
    onChange,
    secrets: createConnectionSecrets(context),
  };
}

function createConnectionSecrets(context: HubContext): ConnectionSecrets {
  const { database, keys, random, clock } = context;
  const unsealGrant = (id: string, person: string | undefined, sealed: Uint8Array): string => {
    const plaintext = unseal(keys.dataKey, getGrantSealContext(id, person), sealed);
    if (!plaintext)
      throw vpError('INTERNAL', {}, { detail: `the stored grant of connection ${id} is not sealed for it` });
    return Buffer.from(plaintext).toString();
  };
  const readSecret = (id: string, kind: 'header' | 'oauth') =>
    database.read((sql) => {
      const row = findConnection(sql, id);
      const sealed = row?.credential === kind ? findConnectionSecret(sql, id) : undefined;
      return row && sealed
        ? { header: row.header ?? '', value: unsealConnectionSecret(context, id, sealed) }
        : undefined;
    });
  return {
    async header(id) {
      const secret = await readSecret(id, 'header');
      return secret && { name: secret.header, value: secret.value };
    },
    clientSecret: async (id) => (await readSecret(id, 'oauth'))?.value,
    async oauthState(id, person) {
      const sealed = await database.read((sql) => findUpstreamGrant(sql, id, person ?? null));
      return sealed && unsealGrant(id, person, sealed);
    },
    saveOauthState(id, person, state, { previous, revision }) {
      const personId = person ?? null;
      return database.write((sql) => {
        // The connection may have changed while its server was called.
        const row = findConnection(sql, id);
        if (!row || (revision !== undefined && row.revision !== revision)) return false;
        if (
          person !== undefined &&
          !listPersonMemberships(sql, person).some((membership) => membership.hub_id === row.hub_id)
        )
          return false;
        const current = findUpstreamGrant(sql, id, personId);
        if ((current && unsealGrant(id, person, current)) !== previous) return false;
        if (state === undefined) deleteUpstreamGrant(sql, id, personId);
        else {
          const sealed = seal(keys.dataKey, getGrantSealContext(id, person), Buffer.from(state), random);
          saveUpstreamGrant(sql, id, personId, { sealed, nowMs: clock.nowMs() });
        }
        return true;
      });
    },
  };
}

/** API keys: a person's own credentials for scripts, with at most the person's role. */
import type { Static } from '@sinclair/typebox';
import { type ApiKey, type CreateApiKeyRequest, type Role, roles } from '../../contract/identity-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import { mintBearer } from '../../secrets/bearer.ts';
import {
  type ApiKeyRow,
  deleteApiKey,
  findApiKey,
  findApiKeyByHash,
  insertApiKey,
  listApiKeys,
  touchApiKey,
} from '../../store/control/identity/api-keys.ts';
import { findPerson, type PersonRow } from '../../store/control/identity/people.ts';
import type { SessionCaller, TokenCaller } from '../caller.ts';
import { createId, hashSecret, type IdentityContext } from '../context.ts';

export type ApiKeysService = {
  /** `key` is returned only this once. Throws API_KEY_ROLE_EXCEEDED. */
  create(caller: SessionCaller, input: Static<typeof CreateApiKeyRequest>): Promise<{ api_key: ApiKey; key: string }>;
  list(caller: SessionCaller): Promise<ApiKey[]>;
  /** Throws API_KEY_UNKNOWN. */
  revoke(caller: SessionCaller, keyId: string): Promise<void>;
  /** The caller behind a key; undefined when it is unknown, deleted or expired. */
  authenticate(key: string, address: string): Promise<TokenCaller | undefined>;
  /** Whether the key behind a caller is still valid. */
  isValid(credentialId: string): Promise<boolean>;
};

const dayMs = 86_400_000;

export function getLowerRole(a: Role, b: Role): Role {
  return roles.indexOf(a) >= roles.indexOf(b) ? a : b;
}

/** The id of a key for revocation events. */
export function toApiKeyCredentialId(keyId: string): string {
  return `api_key ${keyId}`;
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    key_id: row.id,
    name: row.name,
    role: row.role,
    created_at: formatTimestamp(row.created_at_ms),
    expires_at: formatTimestampOrNull(row.expires_at_ms),
    last_used_at: formatTimestampOrNull(row.last_used_at_ms),
  };
}

export function createApiKeysService(context: IdentityContext): ApiKeysService {
  const { database, clock, logSecurityEvent, revocationEvents } = context;
  const findMatch = context.createCache<{ readonly row: ApiKeyRow; readonly person: PersonRow | undefined }>();
  const findRow = context.createCache<ApiKeyRow>();
  const isExpired = (row: ApiKeyRow): boolean => row.expires_at_ms !== null && row.expires_at_ms <= clock.nowMs();
  return {
    create: (caller, input) => createKey(context, caller, input),
    list: async ({ personId }) => (await database.read((sql) => listApiKeys(sql, personId))).map(toApiKey),
    async revoke({ personId }, keyId) {
      const isDeleted = await database.write((sql) => deleteApiKey(sql, keyId, personId));
      if (!isDeleted) throw vpError('API_KEY_UNKNOWN', {});
      logSecurityEvent({ event: 'api_key_ended', level: 'info', person: personId, key: keyId });
      revocationEvents.emit(toApiKeyCredentialId(keyId));
    },
    async authenticate(key, address) {
      const hash = hashSecret(context, key);
      const match = await findMatch(hash, (sql) => {
        const row = findApiKeyByHash(sql, hash);
        return row && { row, person: findPerson(sql, row.person_id) };
      });
      if (!match?.person || isExpired(match.row)) {
        logSecurityEvent({ event: 'api_key_used_after_end', level: 'warn', key: match?.row.id, address });
        return undefined;
      }
      const { row, person } = match;
      await recordUse(context, row);
      const role = getLowerRole(row.role, person.role);
      const credentialId = toApiKeyCredentialId(row.id);
      return { kind: 'person', personId: person.id, name: person.name, role, via: 'api_key', credentialId };
    },
    async isValid(credentialId) {
      const row = await findRow(credentialId, (sql) =>
        findApiKey(sql, credentialId.slice(toApiKeyCredentialId('').length)),
      );
      return row !== undefined && !isExpired(row);
    },
  };
}

async function createKey(context: IdentityContext, caller: SessionCaller, input: Static<typeof CreateApiKeyRequest>) {
  const { clock, random, database, logSecurityEvent } = context;
  const { name, role, expires_in_days: days } = input;
  if (getLowerRole(role, caller.role) !== role) throw vpError('API_KEY_ROLE_EXCEEDED', { role, own_role: caller.role });
  const key = mintBearer('api_key', random);
  const nowMs = clock.nowMs();
  const expiresAtMs = days === undefined ? null : nowMs + days * dayMs;
  const fields = { id: createId(context), person_id: caller.personId, name, role };
  const row = { ...fields, created_at_ms: nowMs, expires_at_ms: expiresAtMs };
  await database.write((sql) => insertApiKey(sql, row, hashSecret(context, key)));
  logSecurityEvent({ event: 'api_key_made', level: 'info', person: caller.personId, key: row.id, role });
  return { api_key: toApiKey({ ...row, last_used_at_ms: null }), key };
}

async function recordUse({ database, clock, settings }: IdentityContext, row: ApiKeyRow): Promise<void> {
  const nowMs = clock.nowMs();
  if (row.last_used_at_ms !== null && nowMs - row.last_used_at_ms < settings.touchMs) return;
  await database.write((sql) => touchApiKey(sql, row.id, nowMs));
}

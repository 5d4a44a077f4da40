/** API keys: a person's own credentials for programs, with at most the person's role. */
import type { Static } from '@sinclair/typebox';
import { type ApiKey, type ApiKeyNew, type Role, roles } from '../contract/identity-api.ts';
import { vpError } from '../errors/vp-error.ts';
import { mintBearer } from '../secrets/bearer.ts';
import {
  type ApiKeyRow,
  apiKeyOf,
  deleteApiKey,
  findApiKey,
  insertApiKey,
  keysOfPerson,
  touchApiKey,
} from '../store/control/identity-keys.ts';
import { findPerson } from '../store/control/people.ts';
import type { SessionCaller, TokenCaller } from './caller.ts';
import { hashOf, type IdentityContext, newId } from './context.ts';
import { momentOf, momentOrNull } from './person.ts';

/** A person's keys. */
export type ApiKeys = {
  /** `key` is told this once. Throws API_KEY_ROLE_EXCEEDED. */
  make(caller: SessionCaller, input: Static<typeof ApiKeyNew>): Promise<{ api_key: ApiKey; key: string }>;
  list(caller: SessionCaller): Promise<ApiKey[]>;
  /** Throws API_KEY_UNKNOWN. */
  end(caller: SessionCaller, keyId: string): Promise<void>;
  /** Whom a key stands for; undefined when it is unknown or has ended. */
  use(key: string, address: string): Promise<TokenCaller | undefined>;
  /** Whether the key behind a caller still holds. */
  holds(holder: string): Promise<boolean>;
};

const dayMs = 86_400_000;

/** The lower of two roles. */
export function lesserRole(a: Role, b: Role): Role {
  return roles.indexOf(a) >= roles.indexOf(b) ? a : b;
}

/** What ends with a key (see ends.ts). */
export function apiKeyHolder(keyId: string): string {
  return `api_key ${keyId}`;
}

function wireKey(row: ApiKeyRow): ApiKey {
  return {
    key_id: row.id,
    name: row.name,
    role: row.role,
    created_at: momentOf(row.created_at_ms),
    expires_at: momentOrNull(row.expires_at_ms),
    last_used_at: momentOrNull(row.last_used_at_ms),
  };
}

/** See {@link ApiKeys}. */
export function apiKeysOf(context: IdentityContext): ApiKeys {
  const { database, clock, tell, ends } = context;
  const hasEnded = (row: ApiKeyRow): boolean => row.expires_at_ms !== null && row.expires_at_ms <= clock.nowMs();
  return {
    make: (caller, input) => make(context, caller, input),
    list: async ({ personId }) => (await database.read((sql) => keysOfPerson(sql, personId))).map(wireKey),
    async end({ personId }, keyId) {
      const done = await database.write((sql) => deleteApiKey(sql, keyId, personId));
      if (!done) throw vpError('API_KEY_UNKNOWN', {});
      tell({ event: 'api_key_ended', level: 'info', person: personId, key: keyId });
      ends.fire(apiKeyHolder(keyId));
    },
    async use(key, address) {
      const hash = hashOf(context, key);
      const found = await database.read((sql) => {
        const row = findApiKey(sql, hash);
        return row && { row, person: findPerson(sql, row.person_id) };
      });
      if (!found?.person || hasEnded(found.row)) {
        tell({ event: 'api_key_used_after_end', level: 'warn', key: found?.row.id, address });
        return undefined;
      }
      const { row, person } = found;
      await touch(context, row);
      const role = lesserRole(row.role, person.role);
      const holder = apiKeyHolder(row.id);
      return { kind: 'person', personId: person.id, name: person.name, role, via: 'api_key', holder };
    },
    async holds(holder) {
      const row = await database.read((sql) => apiKeyOf(sql, holder.slice(apiKeyHolder('').length)));
      return row !== undefined && !hasEnded(row);
    },
  };
}

async function make(context: IdentityContext, caller: SessionCaller, input: Static<typeof ApiKeyNew>) {
  const { clock, random, database, tell } = context;
  const { name, role, expires_in_days: days } = input;
  if (lesserRole(role, caller.role) !== role) throw vpError('API_KEY_ROLE_EXCEEDED', { role, own: caller.role });
  const key = mintBearer('api_key', random);
  const nowMs = clock.nowMs();
  const expiresAtMs = days === undefined ? null : nowMs + days * dayMs;
  const facts = { id: newId(context), person_id: caller.personId, name, role };
  const row = { ...facts, created_at_ms: nowMs, expires_at_ms: expiresAtMs };
  await database.write((sql) => insertApiKey(sql, row, hashOf(context, key)));
  tell({ event: 'api_key_made', level: 'info', person: caller.personId, key: row.id, role });
  return { api_key: wireKey({ ...row, last_used_at_ms: null }), key };
}

async function touch({ database, clock, settings }: IdentityContext, row: ApiKeyRow): Promise<void> {
  const nowMs = clock.nowMs();
  if (row.last_used_at_ms !== null && nowMs - row.last_used_at_ms < settings.touchMs) return;
  await database.write((sql) => touchApiKey(sql, row.id, nowMs));
}

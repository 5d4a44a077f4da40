/** oidc-provider's storage adapter on our store, for records of every kind. */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import {
  consumeOAuthRecord,
  deleteOAuthGrant,
  deleteOAuthRecord,
  findOAuthGrant,
  findOAuthRecord,
  findOAuthRecordBy,
  type OAuthRecordRow,
  saveOAuthRecord,
} from '../../store/control/oauth/oauth-records.ts';
import type { Sql } from '../../store/sql.ts';
import type { IdentityContext } from '../context.ts';
import { hashOAuthValue, type OAuthPayload, sealPayload, unsealPayload } from './records.ts';

/** The id of a grant for revocation events. */
export function toGrantCredentialId(grantHash: string): string {
  return `grant ${grantHash}`;
}

/** Creates oidc-provider's errors, which are thrown by the adapter and the resource rules. */
export type OAuthErrors = {
  slowDown(): Error;
  alreadyUsed(): Error;
  /** For a token that is issued on a grant that was revoked meanwhile. */
  grantEnded(): Error;
  /** For an invalid resource; the client receives the description. */
  invalidTarget(description?: string): Error;
};

const textOrNull = (value: unknown, convert: (text: string) => string): string | null =>
  typeof value === 'string' ? convert(value) : null;

/** Checks a record before it is consumed; throws when its request must not consume it. */
type AssertConsumable = (payload: OAuthPayload) => void;

/** Called within the request; the check runs in a transaction that may have begun in the asynchronous context of another one. */
export type CreateConsumableCheck = () => AssertConsumable;

export function createAdapterFactory(
  context: IdentityContext,
  errors: OAuthErrors,
  createConsumableCheck: CreateConsumableCheck = () => () => undefined,
): (kind: string) => Adapter {
  const polls = new Map<string, number>();
  return (kind) => {
    const mayPoll = kind === 'DeviceCode' ? createPollGate(context, polls) : () => true;
    return createAdapter(context, kind, { errors, createConsumableCheck, mayPoll });
  };
}

type AdapterChecks = {
  readonly errors: OAuthErrors;
  readonly createConsumableCheck: CreateConsumableCheck;
  readonly mayPoll: (hash: string) => boolean;
};

/** Returns false for a device code that is polled too soon. The times are held in memory and bounded. */
function createPollGate({ clock, settings }: IdentityContext, polls: Map<string, number>): (hash: string) => boolean {
  return (hash) => {
    const nowMs = clock.monotonicMs();
    const lastMs = polls.get(hash);
    polls.delete(hash);
    polls.set(hash, nowMs);
    for (const oldestHash of polls.keys()) {
      if (polls.size <= 10_000) break;
      polls.delete(oldestHash);
    }
    // Tolerates half a second, so that a client that waits whole seconds is not rejected for a few milliseconds.
    return lastMs === undefined || nowMs - lastMs >= settings.oauth.pollIntervalSeconds * 1000 - 500;
  };
}

/** True for a device code that was approved or denied: of two concurrent decisions only the first counts. */
function hasDecision(context: IdentityContext, row: OAuthRecordRow | undefined): boolean {
  const payload = row && unsealPayload(context, row);
  return payload?.accountId !== undefined || payload?.error !== undefined;
}

function createAdapter(
  context: IdentityContext,
  kind: string,
  { errors, createConsumableCheck, mayPoll }: AdapterChecks,
): Adapter {
  const { database, clock, revocationEvents } = context;
  const hashAs = (purpose: string) => (value: string) => hashOAuthValue(context, purpose, value);
  const hashId = hashAs('id');
  const read = async (find: (sql: Sql) => OAuthRecordRow | undefined): Promise<AdapterPayload | undefined> => {
    const row = await database.read(find);
    const isOver = kind === 'Client' && row?.expires_at_ms !== null && (row?.expires_at_ms ?? 0) <= clock.nowMs();
    const payload = row && !isOver ? unsealPayload(context, row) : undefined;
    return (
      row && payload && (row.consumed_at_ms === null ? payload : { ...payload, consumed: row.consumed_at_ms / 1000 })
    );
  };
  return {
    async upsert(id, payload, expiresIn) {
      const hash = hashId(id);
      const row = {
        kind,
        hash,
        // A grant also carries its own grant hash, so that it is deleted together with its tokens.
        grant_hash: kind === 'Grant' ? hashAs('grant')(id) : textOrNull(payload.grantId, hashAs('grant')),
        uid_hash: textOrNull(payload.uid, hashAs('uid')),
        code_hash: textOrNull(payload.userCode, hashAs('code')),
        person_id: textOrNull(payload.accountId, (text) => text),
        sealed: sealPayload(context, kind, hash, payload),
        expires_at_ms: expiresIn ? clock.nowMs() + expiresIn * 1000 : null,
      };
      await database.write((sql) => {
        // A grant may be revoked while a token is issued on it: such a token would be invisible and irrevocable.
        const isOver = kind !== 'Grant' && row.grant_hash !== null && !findOAuthGrant(sql, row.grant_hash);
        if (isOver) throw errors.grantEnded();
        if (kind === 'DeviceCode' && hasDecision(context, findOAuthRecord(sql, kind, hash))) throw errors.alreadyUsed();
        saveOAuthRecord(sql, row);
      });
    },
    async find(id) {
      const hash = hashId(id);
      if (!mayPoll(hash)) throw errors.slowDown();
      return read((sql) => findOAuthRecord(sql, kind, hash));
    },
    findByUid: (uid) => read((sql) => findOAuthRecordBy(sql, kind, 'uid', hashAs('uid')(uid))),
    findByUserCode: (code) => read((sql) => findOAuthRecordBy(sql, kind, 'code', hashAs('code')(code))),
    async consume(id) {
      const hash = hashId(id);
      const assertConsumable = createConsumableCheck();
      const use = await database.write((sql) => {
        const row = findOAuthRecord(sql, kind, hash);
        assertConsumable((row && unsealPayload(context, row)) ?? {});
        const isFirst = consumeOAuthRecord(sql, kind, hash, clock.nowMs());
        // Who is second may be the owner: what the first one got, or is about to get, ends, as it does with a later use.
        const reusedGrant = isFirst ? null : (row?.grant_hash ?? null);
        if (reusedGrant !== null) deleteOAuthGrant(sql, reusedGrant);
        return { isFirst, reusedGrant };
      });
      if (use.reusedGrant !== null) revocationEvents.emit(toGrantCredentialId(use.reusedGrant));
      if (!use.isFirst) throw errors.alreadyUsed();
    },
    async destroy(id) {
      await database.write((sql) => deleteOAuthRecord(sql, kind, hashId(id)));
    },
    async revokeByGrantId(grantId) {
      const hash = hashAs('grant')(grantId);
      await database.write((sql) => deleteOAuthGrant(sql, hash));
      revocationEvents.emit(toGrantCredentialId(hash));
    },
  };
}

/** The OAuth server's storage on our store (its adapter contract), for records of every kind. */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import {
  consumeOAuthRecord,
  deleteOAuthGrant,
  deleteOAuthRecord,
  findOAuthGrant,
  findOAuthRecord,
  findOAuthRecordBy,
  type OAuthRow,
  putOAuthRecord,
} from '../../store/control/identity-oauth.ts';
import type { Sql } from '../../store/sql.ts';
import type { IdentityContext } from '../context.ts';
import { oauthHash, openPayload, type Payload, sealPayload } from './records.ts';

/** What ends with a grant (see ends.ts). */
export function grantHolder(grantHash: string): string {
  return `grant ${grantHash}`;
}

/** What the adapter refuses by itself, as the OAuth server's own errors. */
export type Refusals = {
  slowDown(): Error;
  alreadyUsed(): Error;
  /** For what was to be given on a grant that has ended meanwhile. */
  ended(): Error;
  /** For a resource that cannot be had; the words are told to the program. */
  target(words?: string): Error;
};

const textOrNull = (value: unknown, of: (text: string) => string): string | null =>
  typeof value === 'string' ? of(value) : null;

/** Looks at a record before it is used up; throws where the request at hand must leave it as it is. */
export type CheckUse = (payload: Payload) => void;

/** Makes the storage of one kind. */
export function adapterFactory(
  context: IdentityContext,
  refusals: Refusals,
  checkUse: CheckUse = () => undefined,
): (kind: string) => Adapter {
  const polls = new Map<string, number>();
  return (kind) => {
    const mayAsk = kind === 'DeviceCode' ? pollGate(context, polls) : () => true;
    return adapterOf(context, kind, { refusals, checkUse, mayAsk });
  };
}

type Checks = {
  readonly refusals: Refusals;
  readonly checkUse: CheckUse;
  readonly mayAsk: (hash: string) => boolean;
};

/** False for a device code that is asked about too soon; kept in memory, bounded. */
function pollGate({ clock, settings }: IdentityContext, polls: Map<string, number>): (hash: string) => boolean {
  return (hash) => {
    const nowMs = clock.monotonicMs();
    const lastMs = polls.get(hash);
    polls.delete(hash);
    polls.set(hash, nowMs);
    for (const oldest of polls.keys()) {
      if (polls.size <= 10_000) break;
      polls.delete(oldest);
    }
    // A program that keeps time to the second must not be refused for some milliseconds.
    return lastMs === undefined || nowMs - lastMs >= settings.oauth.pollSeconds * 1000 - 500;
  };
}

/** True for a device code that a person has answered, either way: of two answers at once one counts. */
function isAnswered(context: IdentityContext, row: OAuthRow | undefined): boolean {
  const kept = row && openPayload(context, row);
  return kept?.accountId !== undefined || kept?.error !== undefined;
}

function adapterOf(context: IdentityContext, kind: string, { refusals, checkUse, mayAsk }: Checks): Adapter {
  const { database, clock, ends } = context;
  const hashed = (what: string) => (value: string) => oauthHash(context, what, value);
  const idOf = hashed('id');
  const read = async (find: (sql: Sql) => OAuthRow | undefined): Promise<AdapterPayload | undefined> => {
    const row = await database.read(find);
    const isOver = kind === 'Client' && row?.expires_at_ms !== null && (row?.expires_at_ms ?? 0) <= clock.nowMs();
    const payload = row && !isOver ? openPayload(context, row) : undefined;
    return (
      row && payload && (row.consumed_at_ms === null ? payload : { ...payload, consumed: row.consumed_at_ms / 1000 })
    );
  };
  return {
    async upsert(id, payload, expiresIn) {
      const hash = idOf(id);
      const row = {
        kind,
        hash,
        // A grant is a record of itself, so that it goes with what was given on it.
        grant_hash: kind === 'Grant' ? hashed('grant')(id) : textOrNull(payload.grantId, hashed('grant')),
        uid_hash: textOrNull(payload.uid, hashed('uid')),
        code_hash: textOrNull(payload.userCode, hashed('code')),
        person_id: textOrNull(payload.accountId, (text) => text),
        sealed: sealPayload(context, kind, hash, payload),
        expires_at_ms: expiresIn ? clock.nowMs() + expiresIn * 1000 : null,
      };
      await database.write((sql) => {
        // A grant may end while something is being given on it: nothing stays that no person sees or can end.
        const isOver = kind !== 'Grant' && row.grant_hash !== null && !findOAuthGrant(sql, row.grant_hash);
        if (isOver) throw refusals.ended();
        if (kind === 'DeviceCode' && isAnswered(context, findOAuthRecord(sql, kind, hash)))
          throw refusals.alreadyUsed();
        putOAuthRecord(sql, row);
      });
    },
    async find(id) {
      const hash = idOf(id);
      if (!mayAsk(hash)) throw refusals.slowDown();
      return read((sql) => findOAuthRecord(sql, kind, hash));
    },
    findByUid: (uid) => read((sql) => findOAuthRecordBy(sql, kind, 'uid', hashed('uid')(uid))),
    findByUserCode: (code) => read((sql) => findOAuthRecordBy(sql, kind, 'code', hashed('code')(code))),
    async consume(id) {
      const hash = idOf(id);
      const consumed = await database.write((sql) => {
        const row = findOAuthRecord(sql, kind, hash);
        checkUse((row && openPayload(context, row)) ?? {});
        return consumeOAuthRecord(sql, kind, hash, clock.nowMs());
      });
      if (!consumed) throw refusals.alreadyUsed();
    },
    async destroy(id) {
      await database.write((sql) => deleteOAuthRecord(sql, kind, idOf(id)));
    },
    async revokeByGrantId(grantId) {
      const hash = hashed('grant')(grantId);
      await database.write((sql) => deleteOAuthGrant(sql, hash));
      ends.fire(grantHolder(hash));
    },
  };
}

/**
 * Browser sessions. A session has two secrets: the cookie, which is rotated, and the proof, which the page stores and sends
 * in a header. A rotated cookie that is used after its successor was used has been stolen, and ends the session.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Session } from '../../contract/identity-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import { findPerson, type PersonRow, touchPerson, updatePersonPassword } from '../../store/control/identity/people.ts';
import {
  confirmSession,
  deleteSession,
  findSession,
  findSessionByHash,
  insertSession,
  listSessions,
  rotateSession,
  type SessionRow,
  saveKnownDevice,
  touchSession,
} from '../../store/control/identity/sessions.ts';
import { deleteOAuthRecordsByPerson } from '../../store/control/oauth/oauth-records.ts';
import { toPerson } from '../accounts/person-view.ts';
import type { SessionCaller } from '../caller.ts';
import { createId, createSecret, hashSecret, type IdentityContext } from '../context.ts';
import { toGrantCredentialId } from '../oauth/adapter.ts';
import { assertStrongPassword } from '../passwords/password-strength.ts';
import type { BrowserInfo, OpenedSession } from './opened-session.ts';

/** The two secrets of a session, as a browser sent them. */
export type SessionSecrets = { readonly cookie: string; readonly proof: string | undefined };

/** An authenticated session; `cookie` is the new secret when it was rotated. */
export type ActiveSession = { readonly caller: SessionCaller; readonly cookie?: string };

export type SessionsService = {
  /** Undefined when the secrets do not match, or the session has ended. */
  authenticate(secrets: SessionSecrets, browser: Pick<BrowserInfo, 'address'>): Promise<ActiveSession | undefined>;
  list(caller: SessionCaller): Promise<Session[]>;
  /** Throws SESSION_UNKNOWN. */
  revoke(caller: SessionCaller, sessionId: string): Promise<void>;
  /** Ends all other sessions and all grants of the person. Throws PASSWORD_WRONG, PASSWORD_WEAK, SIGN_IN_LIMITED. */
  changePassword(caller: SessionCaller, input: { current: string; next: string }): Promise<void>;
};

/** The id of a session for revocation events. */
export function toSessionCredentialId(sessionId: string): string {
  return `session ${sessionId}`;
}

/** Hashes a browser's device secret for one person, so that devices cannot be linked across accounts. */
export function hashDevice(context: IdentityContext, device: string, personId: string): string {
  return hashSecret(context, `device/${personId}/${device}`);
}

/** False when the session was idle or open for too long. */
export function isSessionActive({ clock, settings }: IdentityContext, row: SessionRow): boolean {
  const nowMs = clock.nowMs();
  const isInUse = row.last_seen_at_ms >= nowMs - settings.sessionIdleMs;
  return isInUse && row.created_at_ms >= nowMs - settings.sessionMaxMs;
}

/** Opens a session for an authenticated person; `via` is logged as the method when it was not a password. */
export async function openSession(
  context: IdentityContext,
  person: PersonRow,
  browser: BrowserInfo,
  via?: string,
): Promise<OpenedSession> {
  const [cookie, proof] = [createSecret(context), createSecret(context)];
  const device = browser.device ?? createSecret(context);
  const nowMs = context.clock.nowMs();
  const row = {
    id: createId(context),
    person_id: person.id,
    secret_hash: hashSecret(context, cookie),
    proof_hash: hashSecret(context, proof),
    rotated_at_ms: nowMs,
    created_at_ms: nowMs,
    last_seen_at_ms: nowMs,
    address: browser.address,
    client: browser.client.slice(0, 300),
  };
  await context.database.write((sql) => {
    insertSession(sql, row);
    saveKnownDevice(sql, hashDevice(context, device, person.id), person.id, nowMs);
    touchPerson(sql, person.id, nowMs);
  });
  const viaField = via === undefined ? {} : { via };
  const { address } = browser;
  context.logSecurityEvent({
    event: 'signed_in',
    level: 'info',
    person: person.id,
    session: row.id,
    address,
    ...viaField,
  });
  return { person: toPerson({ ...person, last_seen_at_ms: nowMs }), proof, cookie, device };
}

export function createSessionsService(context: IdentityContext): SessionsService {
  const { database } = context;
  return {
    authenticate: (secrets, browser) => authenticateSession(context, secrets, browser.address),
    async list(caller) {
      const rows = await database.read((sql) => listSessions(sql, caller.personId));
      return rows.filter((row) => isSessionActive(context, row)).map((row) => toSession(row, caller.sessionId));
    },
    async revoke(caller, sessionId) {
      if (!(await revokeSession(context, sessionId, caller.personId))) throw vpError('SESSION_UNKNOWN', {});
    },
    changePassword: (caller, input) => changePassword(context, caller, input),
  };
}

function toSession(row: SessionRow, currentId: string): Session {
  return {
    session_id: row.id,
    created_at: formatTimestamp(row.created_at_ms),
    last_seen_at: formatTimestamp(row.last_seen_at_ms),
    address: row.address,
    client: row.client,
    current: row.id === currentId,
  };
}

async function revokeSession(context: IdentityContext, sessionId: string, personId: string): Promise<boolean> {
  const isDeleted = await context.database.write((sql) => deleteSession(sql, sessionId, personId));
  if (isDeleted) {
    context.logSecurityEvent({ event: 'session_ended', level: 'info', person: personId, session: sessionId });
    context.revocationEvents.emit(toSessionCredentialId(sessionId));
  }
  return isDeleted;
}

function isEqualHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

async function authenticateSession(
  context: IdentityContext,
  { cookie, proof }: SessionSecrets,
  address: string,
): Promise<ActiveSession | undefined> {
  const hash = hashSecret(context, cookie);
  const match = await context.database.read((sql) => {
    const row = findSessionByHash(sql, hash);
    return row && { row, person: findPerson(sql, row.person_id) };
  });
  if (!match?.person || !isSessionActive(context, match.row)) return undefined;
  const { row, person } = match;
  const eventFields = { person: person.id, session: row.id, address };
  if (proof === undefined || !isEqualHash(hashSecret(context, proof), row.proof_hash)) {
    context.logSecurityEvent({ event: 'session_without_proof', level: 'warn', ...eventFields });
    return undefined;
  }
  if (isStolen(context, row, hash)) {
    context.logSecurityEvent({ event: 'session_cookie_reused', level: 'warn', ...eventFields });
    await revokeSession(context, row.id, person.id);
    return undefined;
  }
  const { id: personId, name, role } = person;
  const caller = { kind: 'person', personId, name, role, via: 'session', sessionId: row.id } as const;
  const newCookie = await recordUse(context, row, hash, address);
  return newCookie === undefined ? { caller } : { caller, cookie: newCookie };
}

function isStolen({ clock, settings }: IdentityContext, row: SessionRow, hash: string): boolean {
  const { confirmed_at_ms: confirmedAtMs, secret_hash: newest } = row;
  return hash !== newest && confirmedAtMs !== null && clock.nowMs() > confirmedAtMs + settings.rotationGraceMs;
}

/** Stores the time of use, and returns a new cookie secret when rotation is due. Most calls write nothing. */
async function recordUse(
  context: IdentityContext,
  row: SessionRow,
  hash: string,
  address: string,
): Promise<string | undefined> {
  const { clock, settings, database } = context;
  const nowMs = clock.nowMs();
  const isNewest = hash === row.secret_hash;
  const isFirstUse = isNewest && row.confirmed_at_ms === null;
  const isRotationDue = nowMs - row.rotated_at_ms >= settings.rotateAfterMs;
  // The response that carried the newest secret was lost: the browser still has the previous one.
  const wasResponseLost =
    !isNewest && row.confirmed_at_ms === null && nowMs - row.rotated_at_ms >= settings.rotationGraceMs;
  const isTouchDue = nowMs - row.last_seen_at_ms >= settings.touchMs;
  if (!isFirstUse && !isRotationDue && !wasResponseLost && !isTouchDue) return undefined;
  const secret = createSecret(context);
  return database.write((sql) => {
    const current = findSession(sql, row.id);
    if (!current) return undefined;
    touchSession(sql, row.id, nowMs, address);
    touchPerson(sql, row.person_id, nowMs);
    if (isFirstUse) confirmSession(sql, row.id, nowMs);
    // Of several concurrent calls, only the first rotates the secret.
    const isUnchanged = current.secret_hash === row.secret_hash;
    if (!isUnchanged || !((isNewest && isRotationDue) || wasResponseLost)) return undefined;
    rotateSession(sql, row.id, { secretHash: hashSecret(context, secret), previousHash: hash, nowMs });
    return secret;
  });
}

async function changePassword(
  context: IdentityContext,
  caller: SessionCaller,
  { current, next }: { current: string; next: string },
): Promise<void> {
  const { database, signInLimiter, passwordHasher, logSecurityEvent } = context;
  const person = await database.read((sql) => findPerson(sql, caller.personId));
  if (!person) throw vpError('PERSON_UNKNOWN', { person: caller.personId });
  const attempt = { account: person.id, address: '', device: `session ${caller.sessionId}` };
  signInLimiter.start(attempt);
  if (!(await passwordHasher.verify(current, person.password))) {
    logSecurityEvent({ event: 'password_wrong', level: 'warn', person: person.id, session: caller.sessionId });
    throw vpError('PASSWORD_WRONG', {});
  }
  signInLimiter.recordSuccess(attempt);
  await assertStrongPassword(next, [person.name, person.email]);
  const password = await passwordHasher.hash(next);
  const revokedCredentialIds = await database.write((sql) => {
    updatePersonPassword(sql, person.id, password);
    const rows = listSessions(sql, person.id).filter(({ id }) => id !== caller.sessionId);
    for (const { id } of rows) deleteSession(sql, id, person.id);
    const grants = deleteOAuthRecordsByPerson(sql, person.id);
    return [...rows.map(({ id }) => toSessionCredentialId(id)), ...grants.map(toGrantCredentialId)];
  });
  logSecurityEvent({ event: 'password_changed', level: 'info', person: person.id, session: caller.sessionId });
  for (const credentialId of revokedCredentialIds) context.revocationEvents.emit(credentialId);
}

/**
 * Sessions of browsers. One has two halves: the cookie's secret, which is replaced from time to time, and the proof, which
 * the page keeps and sends in a header. A secret that was replaced, and whose successor has been used, is a stolen one.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Session } from '../contract/identity-api.ts';
import { vpError } from '../errors/vp-error.ts';
import { deleteOAuthOfPerson } from '../store/control/identity-oauth.ts';
import { findPerson, type PersonRow, setPassword, touchPerson } from '../store/control/people.ts';
import {
  confirmSession,
  deleteSession,
  findSession,
  insertSession,
  keepDevice,
  rotateSession,
  type SessionRow,
  sessionOf,
  sessionsOfPerson,
  touchSession,
} from '../store/control/sessions.ts';
import type { SessionCaller } from './caller.ts';
import { hashOf, type IdentityContext, newId, newSecret } from './context.ts';
import { grantHolder } from './oauth/adapter.ts';
import { demandStrong } from './password-strength.ts';
import { momentOf, wirePerson } from './person.ts';
import type { Opened, Visit } from './sign-in.ts';

/** The halves that a browser sent. */
export type Halves = { readonly cookie: string; readonly proof: string | undefined };

/** A session in use; `cookie` is its new secret, where it was replaced. */
export type InUse = { readonly caller: SessionCaller; readonly cookie?: string };

/** A person's sessions. */
export type Sessions = {
  /** Undefined when the halves do not belong together, or the session has ended. */
  use(halves: Halves, visit: Pick<Visit, 'address'>): Promise<InUse | undefined>;
  list(caller: SessionCaller): Promise<Session[]>;
  /** Throws SESSION_UNKNOWN. */
  end(caller: SessionCaller, sessionId: string): Promise<void>;
  /** Ends all other sessions of the person, and what they granted to programs. Throws PASSWORD_WRONG, PASSWORD_WEAK, SIGN_IN_LIMITED. */
  changePassword(caller: SessionCaller, input: { current: string; next: string }): Promise<void>;
};

/** What ends with a session (see ends.ts). */
export function sessionHolder(sessionId: string): string {
  return `session ${sessionId}`;
}

/** How a browser is remembered for one person. */
export function deviceHash(context: IdentityContext, device: string, personId: string): string {
  return hashOf(context, `device/${personId}/${device}`);
}

/** True until it was idle or open for too long. */
export function isLive({ clock, settings }: IdentityContext, row: SessionRow): boolean {
  const nowMs = clock.nowMs();
  const isUsed = row.last_seen_at_ms >= nowMs - settings.sessionIdleMs;
  return isUsed && row.created_at_ms >= nowMs - settings.sessionMaxMs;
}

/** Opens a session for a person whose identity is proved; `via` says in the log how, where it was not by a password. */
export async function openSession(
  context: IdentityContext,
  person: PersonRow,
  visit: Visit,
  via?: string,
): Promise<Opened> {
  const [cookie, proof] = [newSecret(context), newSecret(context)];
  const device = visit.device ?? newSecret(context);
  const nowMs = context.clock.nowMs();
  const row = {
    id: newId(context),
    person_id: person.id,
    secret_hash: hashOf(context, cookie),
    proof_hash: hashOf(context, proof),
    rotated_at_ms: nowMs,
    created_at_ms: nowMs,
    last_seen_at_ms: nowMs,
    address: visit.address,
    client: visit.client.slice(0, 300),
  };
  await context.database.write((sql) => {
    insertSession(sql, row);
    keepDevice(sql, deviceHash(context, device, person.id), person.id, nowMs);
    touchPerson(sql, person.id, nowMs);
  });
  const more = via === undefined ? {} : { via };
  const { address } = visit;
  context.tell({ event: 'signed_in', level: 'info', person: person.id, session: row.id, address, ...more });
  return { person: wirePerson({ ...person, last_seen_at_ms: nowMs }), proof, cookie, device };
}

/** See {@link Sessions}. */
export function sessionsOf(context: IdentityContext): Sessions {
  const { database } = context;
  return {
    use: (halves, visit) => use(context, halves, visit.address),
    async list(caller) {
      const rows = await database.read((sql) => sessionsOfPerson(sql, caller.personId));
      return rows.filter((row) => isLive(context, row)).map((row) => wireSession(row, caller.sessionId));
    },
    async end(caller, sessionId) {
      if (!(await end(context, sessionId, caller.personId))) throw vpError('SESSION_UNKNOWN', {});
    },
    changePassword: (caller, input) => changePassword(context, caller, input),
  };
}

function wireSession(row: SessionRow, currentId: string): Session {
  return {
    session_id: row.id,
    created_at: momentOf(row.created_at_ms),
    last_seen_at: momentOf(row.last_seen_at_ms),
    address: row.address,
    client: row.client,
    current: row.id === currentId,
  };
}

async function end(context: IdentityContext, sessionId: string, personId: string): Promise<boolean> {
  const ended = await context.database.write((sql) => deleteSession(sql, sessionId, personId));
  if (ended) {
    context.tell({ event: 'session_ended', level: 'info', person: personId, session: sessionId });
    context.ends.fire(sessionHolder(sessionId));
  }
  return ended;
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

async function use(context: IdentityContext, { cookie, proof }: Halves, address: string): Promise<InUse | undefined> {
  const hash = hashOf(context, cookie);
  const found = await context.database.read((sql) => {
    const row = findSession(sql, hash);
    return row && { row, person: findPerson(sql, row.person_id) };
  });
  if (!found?.person || !isLive(context, found.row)) return undefined;
  const { row, person } = found;
  const about = { person: person.id, session: row.id, address };
  if (proof === undefined || !isSame(hashOf(context, proof), row.proof_hash)) {
    context.tell({ event: 'session_without_proof', level: 'warn', ...about });
    return undefined;
  }
  if (isStolen(context, row, hash)) {
    context.tell({ event: 'session_cookie_reused', level: 'warn', ...about });
    await end(context, row.id, person.id);
    return undefined;
  }
  const { id: personId, name, role } = person;
  const caller = { kind: 'person', personId, name, role, via: 'session', sessionId: row.id } as const;
  const next = await noteUse(context, row, hash, address);
  return next === undefined ? { caller } : { caller, cookie: next };
}

function isStolen({ clock, settings }: IdentityContext, row: SessionRow, hash: string): boolean {
  const { confirmed_at_ms: confirmedAtMs, secret_hash: newest } = row;
  return hash !== newest && confirmedAtMs !== null && clock.nowMs() > confirmedAtMs + settings.rotationGraceMs;
}

/** Stores the sign of life, and gives the new secret where it is time for one. Most calls write nothing. */
async function noteUse(
  context: IdentityContext,
  row: SessionRow,
  hash: string,
  address: string,
): Promise<string | undefined> {
  const { clock, settings, database } = context;
  const nowMs = clock.nowMs();
  const isNewest = hash === row.secret_hash;
  const isFirstUse = isNewest && row.confirmed_at_ms === null;
  const isOld = nowMs - row.rotated_at_ms >= settings.rotateAfterMs;
  // The answer that carried the newest secret was lost: the browser still has the one before.
  const wasLost = !isNewest && row.confirmed_at_ms === null && nowMs - row.rotated_at_ms >= settings.rotationGraceMs;
  const isSeenAnew = nowMs - row.last_seen_at_ms >= settings.touchMs;
  if (!isFirstUse && !isOld && !wasLost && !isSeenAnew) return undefined;
  const secret = newSecret(context);
  return database.write((sql) => {
    const now = sessionOf(sql, row.id);
    if (!now) return undefined;
    touchSession(sql, row.id, nowMs, address);
    touchPerson(sql, row.person_id, nowMs);
    if (isFirstUse) confirmSession(sql, row.id, nowMs);
    // Of several calls at once only the first replaces the secret.
    const isUnchanged = now.secret_hash === row.secret_hash;
    if (!isUnchanged || !((isNewest && isOld) || wasLost)) return undefined;
    rotateSession(sql, row.id, { secretHash: hashOf(context, secret), previousHash: hash, nowMs });
    return secret;
  });
}

async function changePassword(
  context: IdentityContext,
  caller: SessionCaller,
  { current, next }: { current: string; next: string },
): Promise<void> {
  const { database, attempts, passwords, tell } = context;
  const person = await database.read((sql) => findPerson(sql, caller.personId));
  if (!person) throw vpError('PERSON_UNKNOWN', {});
  const attempt = { account: person.id, address: '', device: `session ${caller.sessionId}` };
  attempts.begin(attempt);
  if (!(await passwords.verify(current, person.password))) {
    tell({ event: 'password_wrong', level: 'warn', person: person.id, session: caller.sessionId });
    throw vpError('PASSWORD_WRONG', {});
  }
  attempts.succeeded(attempt);
  await demandStrong(next, [person.name, person.email]);
  const password = await passwords.hash(next);
  const others = await database.write((sql) => {
    setPassword(sql, person.id, password);
    const rows = sessionsOfPerson(sql, person.id).filter(({ id }) => id !== caller.sessionId);
    for (const { id } of rows) deleteSession(sql, id, person.id);
    const grants = deleteOAuthOfPerson(sql, person.id);
    return [...rows.map(({ id }) => sessionHolder(id)), ...grants.map(grantHolder)];
  });
  tell({ event: 'password_changed', level: 'info', person: person.id, session: caller.sessionId });
  for (const holder of others) context.ends.fire(holder);
}

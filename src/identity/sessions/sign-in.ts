/** Signing in with email and password, with the setup link, or with an invitation. */

import type { Static } from '@sinclair/typebox';
import type { AcceptInvitationRequest, SetupRequest, SignInRequest } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { deleteOwnerKey } from '../../store/control/identity/api-keys.ts';
import {
  deleteInvitation,
  deleteSetupLinks,
  findInvitationByHash,
  isValidSetupLink,
} from '../../store/control/identity/links.ts';
import {
  countPlatformOwners,
  findPerson,
  findPersonByEmail,
  insertPerson,
  type PersonRow,
} from '../../store/control/identity/people.ts';
import { isKnownDevice } from '../../store/control/identity/sessions.ts';
import { createId, hashSecret, type IdentityContext } from '../context.ts';
import { assertStrongPassword } from '../passwords/password-strength.ts';
import type { BrowserInfo, OpenedSession } from './opened-session.ts';
import { hashDevice, openSession } from './sessions.ts';

export type SignInMethods = {
  /** Throws SIGN_IN_REFUSED, SIGN_IN_LIMITED. */
  withPassword(input: Static<typeof SignInRequest>, browser: BrowserInfo): Promise<OpenedSession>;
  /** Throws SETUP_DONE, LINK_ENDED, PASSWORD_WEAK. */
  withSetupLink(input: Static<typeof SetupRequest>, browser: BrowserInfo): Promise<OpenedSession>;
  /** Throws LINK_ENDED, INVITATION_EMAIL_DIFFERS, EMAIL_TAKEN, PASSWORD_WEAK. */
  withInvitation(input: Static<typeof AcceptInvitationRequest>, browser: BrowserInfo): Promise<OpenedSession>;
};

export function createSignInMethods(context: IdentityContext): SignInMethods {
  return {
    withPassword: (input, browser) => withPassword(context, input, browser),
    withSetupLink: (input, browser) => withSetupLink(context, input, browser),
    withInvitation: (input, browser) => withInvitation(context, input, browser),
  };
}

async function withPassword(
  context: IdentityContext,
  input: Static<typeof SignInRequest>,
  browser: BrowserInfo,
): Promise<OpenedSession> {
  return openSession(context, await authenticateByPassword(context, input, browser), browser);
}

/** The person with this email and password. Throws SIGN_IN_REFUSED, SIGN_IN_LIMITED. */
export async function authenticateByPassword(
  context: IdentityContext,
  { email, password }: Static<typeof SignInRequest>,
  browser: BrowserInfo,
): Promise<PersonRow> {
  const { database, signInLimiter, passwordHasher, logSecurityEvent } = context;
  const person = await database.read((sql) => findPersonByEmail(sql, email));
  const device = person && (await findKnownDeviceHash(context, person.id, browser));
  const attempt = { account: email.toLowerCase(), address: browser.address, device };
  const eventFields = { address: browser.address, account: email.toLowerCase().slice(0, 200) };
  try {
    signInLimiter.start(attempt);
  } catch (error) {
    logSecurityEvent({ event: 'sign_in_limited', level: 'warn', ...eventFields });
    throw error;
  }
  if (!(await passwordHasher.verify(password, person?.password)) || !person) {
    logSecurityEvent({ event: 'sign_in_failed', level: 'warn', ...eventFields });
    throw vpError('SIGN_IN_REFUSED', {});
  }
  signInLimiter.recordSuccess(attempt);
  // The account may have been removed, or its password changed, while the password was compared.
  const current = await database.read((sql) => findPerson(sql, person.id));
  if (current?.password !== person.password) throw vpError('SIGN_IN_REFUSED', {});
  return current;
}

/** The hash of the device secret, if the browser signed in to this account before. */
async function findKnownDeviceHash(
  context: IdentityContext,
  personId: string,
  browser: BrowserInfo,
): Promise<string | undefined> {
  if (browser.device === undefined) return undefined;
  const { database, clock, settings } = context;
  const hash = hashDevice(context, browser.device, personId);
  const sinceMs = clock.nowMs() - settings.knownDeviceMs;
  return (await database.read((sql) => isKnownDevice(sql, hash, personId, sinceMs))) ? hash : undefined;
}

type NewAccount = { readonly name: string; readonly email: string; readonly password: string };

async function createPersonRow(
  context: IdentityContext,
  input: NewAccount,
  role: PersonRow['role'],
): Promise<PersonRow> {
  const name = input.name.trim() || input.email;
  await assertStrongPassword(input.password, [name, input.email]);
  const password = await context.passwordHasher.hash(input.password);
  const createdAtMs = context.clock.nowMs();
  const { email } = input;
  return { id: createId(context), name, email, role, password, created_at_ms: createdAtMs, last_seen_at_ms: null };
}

async function withSetupLink(
  context: IdentityContext,
  input: Static<typeof SetupRequest>,
  browser: BrowserInfo,
): Promise<OpenedSession> {
  const { database, clock, logSecurityEvent } = context;
  const hash = hashSecret(context, input.secret);
  const assertSetupAllowed = (sql: Parameters<typeof countPlatformOwners>[0]): void => {
    if (countPlatformOwners(sql) > 0) throw vpError('SETUP_DONE', {});
    if (!isValidSetupLink(sql, hash, clock.nowMs())) throw vpError('LINK_ENDED', {});
  };
  await database.read(assertSetupAllowed);
  const person = await createPersonRow(context, input, 'owner');
  await database.write((sql) => {
    assertSetupAllowed(sql);
    if (!insertPerson(sql, person)) throw vpError('EMAIL_TAKEN', {});
    deleteSetupLinks(sql);
    deleteOwnerKey(sql);
  });
  logSecurityEvent({ event: 'first_owner_made', level: 'info', person: person.id, address: browser.address });
  context.onFirstOwner();
  return openSession(context, person, browser);
}

async function withInvitation(
  context: IdentityContext,
  input: Static<typeof AcceptInvitationRequest>,
  browser: BrowserInfo,
): Promise<OpenedSession> {
  const { database, clock, logSecurityEvent } = context;
  const hash = hashSecret(context, input.secret);
  const requireInvitation = (sql: Parameters<typeof countPlatformOwners>[0]) => {
    const invitation = findInvitationByHash(sql, hash, clock.nowMs());
    if (!invitation) throw vpError('LINK_ENDED', {});
    const differs = invitation.email !== null && invitation.email.toLowerCase() !== input.email.toLowerCase();
    if (differs) throw vpError('INVITATION_EMAIL_DIFFERS', {});
    if (findPersonByEmail(sql, input.email)) throw vpError('EMAIL_TAKEN', {});
    return invitation;
  };
  const { role } = await database.read(requireInvitation);
  const person = await createPersonRow(context, input, role);
  await database.write((sql) => {
    const { id } = requireInvitation(sql);
    insertPerson(sql, person);
    deleteInvitation(sql, id);
  });
  logSecurityEvent({ event: 'person_added', level: 'info', person: person.id, role, address: browser.address });
  return openSession(context, person, browser);
}

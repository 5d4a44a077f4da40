/** Signing in: by email and password, by the setup link, by an invitation. */
import type { Static } from '@sinclair/typebox';
import type { InvitationAccept, Person, SessionNew, SetupNew } from '../contract/identity-api.ts';
import { vpError } from '../errors/vp-error.ts';
import { endOwnerKey } from '../store/control/identity-keys.ts';
import { deleteInvitation, endSetupLinks, findInvitation, isSetupLink } from '../store/control/identity-links.ts';
import { countOwners, findPerson, findPersonByEmail, insertPerson, type PersonRow } from '../store/control/people.ts';
import { isKnownDevice } from '../store/control/sessions.ts';
import { hashOf, type IdentityContext, newId } from './context.ts';
import { demandStrong } from './password-strength.ts';
import { deviceHash, openSession } from './sessions.ts';

/** Where a call comes from; `device` is the secret of a browser that signed in before, `client` its User-Agent. */
export type Visit = { readonly address: string; readonly client: string; readonly device?: string | undefined };

/** A session that was just opened: secrets for the browser, told this once. */
export type Opened = {
  readonly person: Person;
  readonly proof: string;
  readonly cookie: string;
  readonly device: string;
};

/** The ways of signing in. */
export type SignIn = {
  /** Throws SIGN_IN_REFUSED, SIGN_IN_LIMITED. */
  withPassword(input: Static<typeof SessionNew>, visit: Visit): Promise<Opened>;
  /** Throws SETUP_DONE, LINK_ENDED, PASSWORD_WEAK. */
  withSetupLink(input: Static<typeof SetupNew>, visit: Visit): Promise<Opened>;
  /** Throws LINK_ENDED, INVITATION_EMAIL_DIFFERS, EMAIL_TAKEN, PASSWORD_WEAK. */
  withInvitation(input: Static<typeof InvitationAccept>, visit: Visit): Promise<Opened>;
};

/** See {@link SignIn}. */
export function signInOf(context: IdentityContext): SignIn {
  return {
    withPassword: (input, visit) => withPassword(context, input, visit),
    withSetupLink: (input, visit) => withSetupLink(context, input, visit),
    withInvitation: (input, visit) => withInvitation(context, input, visit),
  };
}

async function withPassword(context: IdentityContext, input: Static<typeof SessionNew>, visit: Visit): Promise<Opened> {
  return openSession(context, await demandPassword(context, input, visit), visit);
}

/** The person whose email and password these are. Throws SIGN_IN_REFUSED, SIGN_IN_LIMITED. */
export async function demandPassword(
  context: IdentityContext,
  { email, password }: Static<typeof SessionNew>,
  visit: Visit,
): Promise<PersonRow> {
  const { database, attempts, passwords, tell } = context;
  const person = await database.read((sql) => findPersonByEmail(sql, email));
  const device = person && (await knownDevice(context, person.id, visit));
  const attempt = { account: email.toLowerCase(), address: visit.address, device };
  const about = { address: visit.address, account: email.toLowerCase().slice(0, 200) };
  try {
    attempts.begin(attempt);
  } catch (error) {
    tell({ event: 'sign_in_limited', level: 'warn', ...about });
    throw error;
  }
  if (!(await passwords.verify(password, person?.password)) || !person) {
    tell({ event: 'sign_in_failed', level: 'warn', ...about });
    throw vpError('SIGN_IN_REFUSED', {});
  }
  attempts.succeeded(attempt);
  // While the password was compared the account may have ended, or its password may have changed.
  const now = await database.read((sql) => findPerson(sql, person.id));
  if (now?.password !== person.password) throw vpError('SIGN_IN_REFUSED', {});
  return now;
}

/** The hash of the browser, where it signed in to this account before. */
async function knownDevice(context: IdentityContext, personId: string, visit: Visit): Promise<string | undefined> {
  if (visit.device === undefined) return undefined;
  const { database, clock, settings } = context;
  const hash = deviceHash(context, visit.device, personId);
  const sinceMs = clock.nowMs() - settings.knownDeviceMs;
  return (await database.read((sql) => isKnownDevice(sql, hash, personId, sinceMs))) ? hash : undefined;
}

type NewAccount = { readonly name: string; readonly email: string; readonly password: string };

async function newPerson(context: IdentityContext, input: NewAccount, role: PersonRow['role']): Promise<PersonRow> {
  const name = input.name.trim() || input.email;
  await demandStrong(input.password, [name, input.email]);
  const password = await context.passwords.hash(input.password);
  const createdAtMs = context.clock.nowMs();
  const { email } = input;
  return { id: newId(context), name, email, role, password, created_at_ms: createdAtMs, last_seen_at_ms: null };
}

async function withSetupLink(context: IdentityContext, input: Static<typeof SetupNew>, visit: Visit): Promise<Opened> {
  const { database, clock, tell } = context;
  const hash = hashOf(context, input.secret);
  const demand = (sql: Parameters<typeof countOwners>[0]): void => {
    if (countOwners(sql) > 0) throw vpError('SETUP_DONE', {});
    if (!isSetupLink(sql, hash, clock.nowMs())) throw vpError('LINK_ENDED', {});
  };
  await database.read(demand);
  const person = await newPerson(context, input, 'owner');
  await database.write((sql) => {
    demand(sql);
    if (!insertPerson(sql, person)) throw vpError('EMAIL_TAKEN', {});
    endSetupLinks(sql);
    endOwnerKey(sql);
  });
  tell({ event: 'first_owner_made', level: 'info', person: person.id, address: visit.address });
  context.onFirstOwner();
  return openSession(context, person, visit);
}

async function withInvitation(
  context: IdentityContext,
  input: Static<typeof InvitationAccept>,
  visit: Visit,
): Promise<Opened> {
  const { database, clock, tell } = context;
  const hash = hashOf(context, input.secret);
  const invited = (sql: Parameters<typeof countOwners>[0]) => {
    const invitation = findInvitation(sql, hash, clock.nowMs());
    if (!invitation) throw vpError('LINK_ENDED', {});
    const differs = invitation.email !== null && invitation.email.toLowerCase() !== input.email.toLowerCase();
    if (differs) throw vpError('INVITATION_EMAIL_DIFFERS', {});
    if (findPersonByEmail(sql, input.email)) throw vpError('EMAIL_TAKEN', {});
    return invitation;
  };
  const { role } = await database.read(invited);
  const person = await newPerson(context, input, role);
  await database.write((sql) => {
    const { id } = invited(sql);
    insertPerson(sql, person);
    deleteInvitation(sql, id);
  });
  tell({ event: 'person_added', level: 'info', person: person.id, role, address: visit.address });
  return openSession(context, person, visit);
}

/**
 * Maps identities of the provider to accounts. An identity is linked to an account by issuer and subject, which never
 * change; email addresses change, and pass to other people. So the email is used only at the first sign-in, and only when
 * the provider says that it is verified:
 *
 * - an invitation for exactly this email creates the account, with the role of the invitation;
 * - an existing account with this email is connected after its password was entered. Emails of accounts from open
 *   invitations are unverified, so an attacker may have registered another person's email in advance to share the account;
 *   and the operator of the provider must not become owner by asserting an owner's email;
 * - everybody else is rejected, or gets the role of `--sso-role`, which is never owner, when their domain is allowed.
 *
 * A person who was removed here needs a new invitation.
 */
import { vpError } from '../../errors/vp-error.ts';
import { deleteInvitation, findInvitationByEmail } from '../../store/control/identity/links.ts';
import {
  countPlatformOwners,
  findPerson,
  findPersonByEmail,
  insertPerson,
  type PersonRow,
} from '../../store/control/identity/people.ts';
import { findSingleSignOnLink, saveSingleSignOnLink } from '../../store/control/identity/single-sign-on.ts';
import type { Sql } from '../../store/sql.ts';
import { createId, type IdentityContext } from '../context.ts';
import type { ExternalIdentity } from './provider.ts';
import type { SingleSignOnSettings } from './settings.ts';

/** An admitted person, or the account whose password must be entered first. */
export type SingleSignOnAdmission =
  | { readonly kind: 'person'; readonly person: PersonRow; readonly isNew: boolean }
  | { readonly kind: 'password_needed'; readonly email: string };

/** Marks an account without a password: no input matches it. */
const noPassword = '';

/** The verified email of an allowed domain. Throws SINGLE_SIGN_ON_EMAIL_UNVERIFIED, SINGLE_SIGN_ON_DOMAIN_REFUSED. */
function requireVerifiedEmail(
  { email, isEmailVerified }: ExternalIdentity,
  { name, domains }: SingleSignOnSettings,
): string {
  const domain = /^[^\s@]+@([^\s@]+)$/.exec(email ?? '')?.[1]?.toLowerCase();
  if (email === undefined || domain === undefined || email.length > 200 || !isEmailVerified)
    throw vpError('SINGLE_SIGN_ON_EMAIL_UNVERIFIED', { name });
  if (domains.length > 0 && !domains.includes(domain)) throw vpError('SINGLE_SIGN_ON_DOMAIN_REFUSED', { name, domain });
  return email;
}

/** Throws SINGLE_SIGN_ON_EMAIL_UNVERIFIED, SINGLE_SIGN_ON_DOMAIN_REFUSED, SINGLE_SIGN_ON_UNINVITED. */
export async function admitPerson(
  context: IdentityContext,
  settings: SingleSignOnSettings,
  identity: ExternalIdentity,
): Promise<SingleSignOnAdmission> {
  // A domain that is no longer allowed also locks out people who signed in before.
  if (settings.domains.length > 0) requireVerifiedEmail(identity, settings);
  return context.database.write((sql) => findOrCreatePerson(sql, context, settings, identity));
}

function findOrCreatePerson(
  sql: Sql,
  context: IdentityContext,
  settings: SingleSignOnSettings,
  identity: ExternalIdentity,
): SingleSignOnAdmission {
  const link = findSingleSignOnLink(sql, identity);
  const existing = typeof link?.person_id === 'string' ? findPerson(sql, link.person_id) : undefined;
  if (existing) return { kind: 'person', person: existing, isNew: false };
  const email = requireVerifiedEmail(identity, settings);
  if (findPersonByEmail(sql, email)) return { kind: 'password_needed', email };
  const nowMs = context.clock.nowMs();
  const invitation = findInvitationByEmail(sql, email, nowMs);
  // A removed person returns by invitation only, and nobody joins before the first owner.
  const mayJoin = link === undefined && countPlatformOwners(sql) > 0;
  const role = invitation?.role ?? (mayJoin ? settings.role : undefined);
  if (role === undefined) throw vpError('SINGLE_SIGN_ON_UNINVITED', { email });
  const name = (identity.name ?? email).slice(0, 100);
  const fields = { id: createId(context), name, email, role, password: noPassword };
  const person = { ...fields, created_at_ms: nowMs, last_seen_at_ms: null };
  insertPerson(sql, person);
  if (invitation) deleteInvitation(sql, invitation.id);
  saveSingleSignOnLink(sql, identity, person.id, nowMs);
  return { kind: 'person', person, isNew: true };
}

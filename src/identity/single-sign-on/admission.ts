/**
 * Who is let in, and as whom. An account of the provider stands for a person here by issuer and subject, which never
 * change; email addresses do, and pass to others. So an email counts once, at the first visit, and only when the provider
 * says that it is verified:
 *
 * - an invitation that an owner made for exactly this email makes the account, with its role;
 * - an account here with this email is connected once its password has been typed. Nobody checked the email of an account
 *   that was made by an open invitation: somebody may have taken another's in advance, to share the account with them, and
 *   whoever runs the provider must not become owner here by naming an owner's email;
 * - everybody else is refused, or becomes what `--sso-role` says when their domain is allowed, never owner.
 *
 * An outside account whose person was removed here needs a new invitation.
 */
import { vpError } from '../../errors/vp-error.ts';
import { deleteInvitation, findInvitationFor } from '../../store/control/identity-links.ts';
import {
  countOwners,
  findPerson,
  findPersonByEmail,
  insertPerson,
  type PersonRow,
} from '../../store/control/people.ts';
import { findSingleSignOn, keepSingleSignOn } from '../../store/control/single-sign-on.ts';
import type { Sql } from '../../store/sql.ts';
import { type IdentityContext, newId } from '../context.ts';
import type { Outsider } from './provider.ts';
import type { SingleSignOnSettings } from './settings.ts';

/** Somebody who may enter; or the account whose password is to be typed first. */
export type Admission =
  | { readonly kind: 'person'; readonly person: PersonRow; readonly isNew: boolean }
  | { readonly kind: 'password_needed'; readonly email: string };

/** An account without one: nothing that is typed fits it. */
const noPassword = '';

/** The verified email, held against the allowed domains. Throws SINGLE_SIGN_ON_EMAIL_UNVERIFIED, SINGLE_SIGN_ON_DOMAIN_REFUSED. */
function verifiedEmail({ email, isEmailVerified }: Outsider, { name, domains }: SingleSignOnSettings): string {
  const domain = /^[^\s@]+@([^\s@]+)$/.exec(email ?? '')?.[1]?.toLowerCase();
  if (email === undefined || domain === undefined || email.length > 200 || !isEmailVerified)
    throw vpError('SINGLE_SIGN_ON_EMAIL_UNVERIFIED', { name });
  if (domains.length > 0 && !domains.includes(domain)) throw vpError('SINGLE_SIGN_ON_DOMAIN_REFUSED', { name, domain });
  return email;
}

/** See the file's head. Throws SINGLE_SIGN_ON_EMAIL_UNVERIFIED, SINGLE_SIGN_ON_DOMAIN_REFUSED, SINGLE_SIGN_ON_UNINVITED. */
export async function admit(
  context: IdentityContext,
  settings: SingleSignOnSettings,
  outsider: Outsider,
): Promise<Admission> {
  // A domain that is no longer allowed shuts out those who came before, too.
  if (settings.domains.length > 0) verifiedEmail(outsider, settings);
  return context.database.write((sql) => admitted(sql, context, settings, outsider));
}

function admitted(sql: Sql, context: IdentityContext, settings: SingleSignOnSettings, outsider: Outsider): Admission {
  const link = findSingleSignOn(sql, outsider);
  const known = typeof link?.person_id === 'string' ? findPerson(sql, link.person_id) : undefined;
  if (known) return { kind: 'person', person: known, isNew: false };
  const email = verifiedEmail(outsider, settings);
  if (findPersonByEmail(sql, email)) return { kind: 'password_needed', email };
  const nowMs = context.clock.nowMs();
  const invitation = findInvitationFor(sql, email, nowMs);
  // Somebody who was removed comes back by invitation only; and nobody comes before the first owner.
  const mayJoin = link === undefined && countOwners(sql) > 0;
  const role = invitation?.role ?? (mayJoin ? settings.role : undefined);
  if (role === undefined) throw vpError('SINGLE_SIGN_ON_UNINVITED', { email });
  const name = (outsider.name ?? email).slice(0, 100);
  const facts = { id: newId(context), name, email, role, password: noPassword };
  const person = { ...facts, created_at_ms: nowMs, last_seen_at_ms: null };
  insertPerson(sql, person);
  if (invitation) deleteInvitation(sql, invitation.id);
  keepSingleSignOn(sql, outsider, person.id, nowMs);
  return { kind: 'person', person, isNew: true };
}

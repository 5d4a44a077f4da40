/** One-time links that set a new password, for example for the only owner who forgot theirs. */
import { join } from 'node:path';
import type { Static } from '@sinclair/typebox';
import type { PasswordResetDetails, ResetPasswordRequest } from '../../contract/identity-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { hashBearer } from '../../secrets/bearer.ts';
import {
  deletePasswordLinks,
  findPasswordLink,
  replacePasswordLink,
} from '../../store/control/identity/password-links.ts';
import {
  findPerson,
  findPersonByEmail,
  listPeople,
  type PersonRow,
  updatePersonPassword,
} from '../../store/control/identity/people.ts';
import { deleteSession, listSessions } from '../../store/control/identity/sessions.ts';
import { deleteOAuthRecordsByPerson } from '../../store/control/oauth/oauth-records.ts';
import type { Database } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import { hashSecret, type IdentityContext } from '../context.ts';
import { toGrantCredentialId } from '../oauth/adapter.ts';
import type { BrowserInfo, OpenedSession } from '../sessions/opened-session.ts';
import { openSession, toSessionCredentialId } from '../sessions/sessions.ts';
import { defaultIdentitySettings } from '../settings.ts';
import { assertStrongPassword } from './password-strength.ts';

/** What creating a link needs; the control plane may be running or stopped. */
export type PasswordLinkOptions = {
  readonly database: Pick<Database, 'write'>;
  readonly tokenHashKey: Uint8Array;
  readonly random: Random;
  readonly nowMs: number;
};

/** Creates a link's secret for the account with this email; an earlier link becomes invalid. Throws RESET_PERSON_UNKNOWN. */
export async function createPasswordLinkSecret(
  { database, tokenHashKey, random, nowMs }: PasswordLinkOptions,
  email: string,
): Promise<string> {
  const secret = random.token(32);
  await database.write((sql) => {
    const person = findPersonByEmail(sql, email);
    if (!person) {
      const emails = listPeople(sql).map((other) => other.email);
      throw vpError('RESET_PERSON_UNKNOWN', {
        email,
        emails: emails.join(', ') || 'there are none, use `vp setup-link`',
      });
    }
    const expiresAtMs = nowMs + defaultIdentitySettings.setupLinkMs;
    replacePasswordLink(sql, hashBearer(secret, tokenHashKey), { personId: person.id, nowMs, expiresAtMs });
  });
  return secret;
}

/** The file that holds the link, for when the printed output is not read. */
export function getPasswordLinkPath(folder: string): string {
  return join(folder, 'password-link.txt');
}

/** The link. Its secret is in the fragment, which browsers do not send. */
export function buildPasswordLinkUrl(publicUrl: string, secret: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/reset-password#${secret}`;
}

/** Password links for the console. Both methods throw LINK_ENDED. */
export type PasswordLinksService = {
  /** The person whose password the link sets. */
  lookUp(secret: string): Promise<Static<typeof PasswordResetDetails>>;
  /** Sets the password, ends the person's sessions and grants, and signs in. Throws PASSWORD_WEAK. */
  redeem(input: Static<typeof ResetPasswordRequest>, browser: BrowserInfo): Promise<OpenedSession>;
};

export function createPasswordLinksService(context: IdentityContext): PasswordLinksService {
  const { database, clock } = context;
  const requireLink = (sql: Sql, secret: string): { person: PersonRow; createdAtMs: number } => {
    const link = findPasswordLink(sql, hashSecret(context, secret), clock.nowMs());
    const person = link && findPerson(sql, link.person_id);
    if (person) return { person, createdAtMs: link.created_at_ms };
    throw vpError('LINK_ENDED', {});
  };
  return {
    async lookUp(secret) {
      const { person } = await database.read((sql) => requireLink(sql, secret));
      return { name: person.name, email: person.email };
    },
    async redeem({ secret, password }, browser) {
      const { person } = await database.read((sql) => requireLink(sql, secret));
      await assertStrongPassword(password, [person.name, person.email]);
      const hash = await context.passwordHasher.hash(password);
      const { createdAtMs, credentialIds } = await database.write((sql) => {
        const current = requireLink(sql, secret);
        return { createdAtMs: current.createdAtMs, credentialIds: replacePassword(sql, person.id, hash) };
      });
      const eventFields = { person: person.id, address: browser.address, link_made_at: formatTimestamp(createdAtMs) };
      context.logSecurityEvent({ event: 'password_reset', level: 'warn', ...eventFields });
      for (const credentialId of credentialIds) context.revocationEvents.emit(credentialId);
      return openSession(context, { ...person, password: hash }, browser, 'password_link');
    },
  };
}

/** Returns the ids of the credentials that it revoked. */
function replacePassword(sql: Sql, personId: string, hash: string): string[] {
  updatePersonPassword(sql, personId, hash);
  deletePasswordLinks(sql, personId);
  const sessions = listSessions(sql, personId);
  for (const { id } of sessions) deleteSession(sql, id, personId);
  return [
    ...sessions.map(({ id }) => toSessionCredentialId(id)),
    ...deleteOAuthRecordsByPerson(sql, personId).map(toGrantCredentialId),
  ];
}

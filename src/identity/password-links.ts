/** One-time links that set a new password: the way back for an only owner who forgot theirs. */
import { join } from 'node:path';
import type { Static } from '@sinclair/typebox';
import type { PasswordReset, PasswordResetOffer } from '../contract/identity-api.ts';
import type { Random } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import { bearerHash } from '../secrets/bearer.ts';
import { deleteOAuthOfPerson } from '../store/control/identity-oauth.ts';
import { endPasswordLinks, findPasswordLink, replacePasswordLink } from '../store/control/password-links.ts';
import { findPerson, findPersonByEmail, listPeople, type PersonRow, setPassword } from '../store/control/people.ts';
import { deleteSession, sessionsOfPerson } from '../store/control/sessions.ts';
import type { Database } from '../store/database.ts';
import type { Sql } from '../store/sql.ts';
import { hashOf, type IdentityContext } from './context.ts';
import { grantHolder } from './oauth/adapter.ts';
import { demandStrong } from './password-strength.ts';
import { momentOf } from './person.ts';
import { openSession, sessionHolder } from './sessions.ts';
import { defaultIdentitySettings } from './settings.ts';
import type { Opened, Visit } from './sign-in.ts';

/** What a link is made with, beside a running control plane or without one. */
export type LinkParts = {
  readonly database: Pick<Database, 'write'>;
  readonly tokenHashKey: Uint8Array;
  readonly random: Random;
  readonly nowMs: number;
};

/** Makes a link's secret for the account with this email; an earlier link of it ends. Throws RESET_PERSON_UNKNOWN. */
export async function makePasswordSecret(
  { database, tokenHashKey, random, nowMs }: LinkParts,
  email: string,
): Promise<string> {
  const secret = random.token(32);
  await database.write((sql) => {
    const person = findPersonByEmail(sql, email);
    if (!person) {
      const emails = listPeople(sql).map((one) => one.email);
      throw vpError('RESET_PERSON_UNKNOWN', {
        email,
        emails: emails.join(', ') || 'there are none, use `vp setup-link`',
      });
    }
    const expiresAtMs = nowMs + defaultIdentitySettings.setupLinkMs;
    replacePasswordLink(sql, bearerHash(secret, tokenHashKey), { personId: person.id, nowMs, expiresAtMs });
  });
  return secret;
}

/** Where the link waits when nobody reads what is printed. */
export function passwordLinkFile(folder: string): string {
  return join(folder, 'password-link.txt');
}

/** The link: its secret stands behind `#`, which browsers send to nobody. */
export function passwordUrl(publicUrl: string, secret: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/reset-password#${secret}`;
}

/** Links as the console uses them. Both throw LINK_ENDED. */
export type PasswordLinks = {
  /** Whose password it sets. */
  lookUp(secret: string): Promise<Static<typeof PasswordResetOffer>>;
  /** Sets it, ends the person's sessions and grants, and signs in. Throws PASSWORD_WEAK. */
  use(input: Static<typeof PasswordReset>, visit: Visit): Promise<Opened>;
};

/** See {@link PasswordLinks}. */
export function passwordLinksOf(context: IdentityContext): PasswordLinks {
  const { database, clock } = context;
  const demand = (sql: Sql, secret: string): { person: PersonRow; madeAtMs: number } => {
    const link = findPasswordLink(sql, hashOf(context, secret), clock.nowMs());
    const person = link && findPerson(sql, link.person_id);
    if (person) return { person, madeAtMs: link.created_at_ms };
    throw vpError('LINK_ENDED', {});
  };
  return {
    async lookUp(secret) {
      const { person } = await database.read((sql) => demand(sql, secret));
      return { name: person.name, email: person.email };
    },
    async use({ secret, password }, visit) {
      const { person } = await database.read((sql) => demand(sql, secret));
      await demandStrong(password, [person.name, person.email]);
      const hash = await context.passwords.hash(password);
      const { madeAtMs, holders } = await database.write((sql) => {
        const again = demand(sql, secret);
        return { madeAtMs: again.madeAtMs, holders: setNew(sql, person.id, hash) };
      });
      const about = { person: person.id, address: visit.address, link_made_at: momentOf(madeAtMs) };
      context.tell({ event: 'password_reset', level: 'warn', ...about });
      for (const holder of holders) context.ends.fire(holder);
      return openSession(context, { ...person, password: hash }, visit, 'password_link');
    },
  };
}

/** Gives what has ended with it. */
function setNew(sql: Sql, personId: string, hash: string): string[] {
  setPassword(sql, personId, hash);
  endPasswordLinks(sql, personId);
  const sessions = sessionsOfPerson(sql, personId);
  for (const { id } of sessions) deleteSession(sql, id, personId);
  return [...sessions.map(({ id }) => sessionHolder(id)), ...deleteOAuthOfPerson(sql, personId).map(grantHolder)];
}

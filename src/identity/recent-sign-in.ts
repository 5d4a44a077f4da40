import { findOAuthGrant } from '../store/control/identity-oauth.ts';
import { sessionOf, sessionsOfPerson } from '../store/control/sessions.ts';
import type { PersonCaller } from './caller.ts';
import type { IdentityContext } from './context.ts';
import { grantHolder } from './oauth/adapter.ts';
import { openPayload } from './oauth/records.ts';

/**
 * When the person behind a call proved who they are, by password or provider. A program's grant says only when leave was
 * given, perhaps in a browser that had been signed in for days: it counts as no later than the person's last sign-in. An
 * API key says nothing, so undefined.
 */
export async function signedInAtMs(context: IdentityContext, caller: PersonCaller): Promise<number | undefined> {
  if (caller.via === 'api_key') return undefined;
  if (caller.via === 'session')
    return (await context.database.read((sql) => sessionOf(sql, caller.sessionId)))?.created_at_ms;
  const hash = caller.holder.slice(grantHolder('').length);
  const { row, sessions } = await context.database.read((sql) => ({
    row: findOAuthGrant(sql, hash),
    sessions: sessionsOfPerson(sql, caller.personId),
  }));
  const iat = row && openPayload(context, row)?.iat;
  if (typeof iat !== 'number' || sessions.length === 0) return undefined;
  const lastSignInMs = Math.max(...sessions.map((session) => session.created_at_ms));
  return Math.min(iat * 1000, lastSignInMs);
}

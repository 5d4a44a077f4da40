import { findSession, listSessions } from '../../store/control/identity/sessions.ts';
import { findOAuthGrant } from '../../store/control/oauth/oauth-records.ts';
import type { PersonCaller } from '../caller.ts';
import type { IdentityContext } from '../context.ts';
import { toGrantCredentialId } from '../oauth/adapter.ts';
import { unsealPayload } from '../oauth/records.ts';

/**
 * When the caller last proved their identity, by password or single sign-on. A grant records only when consent was given,
 * perhaps in a browser that had been signed in for days, so the result is never later than the person's last sign-in. An
 * API key does not tell, so the result is undefined.
 */
export async function findLastSignInMs(context: IdentityContext, caller: PersonCaller): Promise<number | undefined> {
  if (caller.via === 'api_key') return undefined;
  if (caller.via === 'session')
    return (await context.database.read((sql) => findSession(sql, caller.sessionId)))?.created_at_ms;
  const hash = caller.credentialId.slice(toGrantCredentialId('').length);
  const { grantRow, sessions } = await context.database.read((sql) => ({
    grantRow: findOAuthGrant(sql, hash),
    sessions: listSessions(sql, caller.personId),
  }));
  const iat = grantRow && unsealPayload(context, grantRow)?.iat;
  if (typeof iat !== 'number' || sessions.length === 0) return undefined;
  const lastSignInMs = Math.max(...sessions.map((session) => session.created_at_ms));
  return Math.min(iat * 1000, lastSignInMs);
}

/** What a person is asked when a program wants to act for them in a browser. */
import type { Provider } from 'oidc-provider';
import type { Interaction } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { SessionCaller } from '../caller.ts';
import type { IdentityContext } from '../context.ts';
import { redirectHostOf } from './asking-client.ts';
import { type Asking, askingOf, giveLeave, shownLeave } from './leave.ts';
import type { OAuthServer } from './server.ts';

type Asked = InstanceType<Provider['Interaction']>;

/** Reads an interaction. Throws INTERACTION_ENDED. */
async function find({ provider }: OAuthServer, uid: string): Promise<Asked> {
  const asked = await provider.Interaction.find(uid);
  const isOurs = asked?.prompt.name === 'login' || asked?.prompt.name === 'consent';
  if (asked && isOurs && !asked.isExpired) return asked;
  throw vpError('INTERACTION_ENDED', {});
}

/** What the page shows. Throws INTERACTION_ENDED. */
export async function shownInteraction(
  context: IdentityContext,
  server: OAuthServer,
  uid: string,
): Promise<Interaction> {
  const asked = await find(server, uid);
  const asking = askingOf(asked.params);
  // Before the sign-in step it is not known who will answer, whoever this browser belongs to.
  const personId = asked.prompt.name === 'login' ? undefined : asked.session?.accountId;
  const leave = await shownLeave(context, server, asking, personId);
  return {
    kind: asked.prompt.name === 'login' ? 'sign_in' : 'consent',
    client_name: leave.client.name,
    redirect_host: redirectHostOf(asking.redirectUri ?? ''),
    scopes: [...asking.scopes],
    ...leave,
  };
}

/** Notes who signed in, or what they allowed; gives where the browser goes on. Throws INTERACTION_ENDED, HUB_MEMBERSHIP_NEEDED. */
export async function decideInteraction(
  context: IdentityContext,
  server: OAuthServer,
  { uid, allow, caller }: { uid: string; allow: boolean; caller: SessionCaller },
): Promise<string> {
  const asked = await find(server, uid);
  const asking = askingOf(asked.params);
  const result = allow ? await allowed(context, server, { asked, asking, caller }) : refused;
  asked.result = { ...(allow ? asked.lastSubmission : {}), ...result };
  await asked.persist();
  const event = allow ? `oauth_${asked.prompt.name}` : 'oauth_declined';
  context.tell({ event, level: 'info', person: caller.personId, client: asking.clientId, resource: asking.resource });
  return asked.returnTo;
}

const refused = { error: 'access_denied', error_description: 'the person refused' };

async function allowed(
  context: IdentityContext,
  server: OAuthServer,
  { asked, asking, caller: { personId } }: { asked: Asked; asking: Asking; caller: SessionCaller },
): Promise<object> {
  if (asked.prompt.name === 'login') return { login: { accountId: personId, remember: false } };
  // Somebody else signed in in this browser meanwhile: they are not who the program was asking for.
  if (asked.session?.accountId !== personId) throw vpError('INTERACTION_ENDED', {});
  return { consent: { grantId: await giveLeave(context, server, asking, personId) } };
}

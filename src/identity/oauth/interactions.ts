/** What a person is asked when a program wants to act for them in a browser. */
import type { Provider } from 'oidc-provider';
import type { Interaction } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { SessionCaller } from '../caller.ts';
import type { IdentityContext } from '../context.ts';
import type { OAuthServer } from './server.ts';

type Asked = InstanceType<Provider['Interaction']>;

/** Reads an interaction. Throws INTERACTION_ENDED. */
async function find({ provider }: OAuthServer, uid: string): Promise<Asked> {
  const asked = await provider.Interaction.find(uid);
  if (asked && (asked.prompt.name === 'login' || asked.prompt.name === 'consent')) return asked;
  throw vpError('INTERACTION_ENDED', {});
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** What the page shows. Throws INTERACTION_ENDED. */
export async function shownInteraction(server: OAuthServer, uid: string): Promise<Interaction> {
  const { params, prompt } = await find(server, uid);
  const client = await server.provider.Client.find(textOf(params.client_id));
  return {
    kind: prompt.name === 'login' ? 'sign_in' : 'consent',
    client_name: client?.clientName ?? textOf(params.client_id),
    redirect_host: URL.parse(textOf(params.redirect_uri))?.host ?? '',
    scopes: textOf(params.scope).split(' ').filter(Boolean),
  };
}

/** Notes who signed in, or what they allowed; gives where the browser goes on. Throws INTERACTION_ENDED. */
export async function decideInteraction(
  { tell }: IdentityContext,
  server: OAuthServer,
  { uid, allow, caller }: { uid: string; allow: boolean; caller: SessionCaller },
): Promise<string> {
  const asked = await find(server, uid);
  const result = allow ? await allowed(server, asked, caller) : refused;
  asked.result = { ...(allow ? asked.lastSubmission : {}), ...result };
  await asked.persist();
  const client = textOf(asked.params.client_id);
  const event = allow ? `oauth_${asked.prompt.name}` : 'oauth_declined';
  tell({ event, level: 'info', person: caller.personId, client });
  return asked.returnTo;
}

const refused = { error: 'access_denied', error_description: 'the person refused' };

async function allowed({ provider }: OAuthServer, asked: Asked, { personId }: SessionCaller): Promise<object> {
  if (asked.prompt.name === 'login') return { login: { accountId: personId, remember: false } };
  // Somebody else signed in in this browser meanwhile: they are not who the program was asking for.
  if (asked.session?.accountId !== personId) throw vpError('INTERACTION_ENDED', {});
  const { missingOIDCScope, missingResourceScopes } = asked.prompt.details;
  const grant = new provider.Grant({ accountId: personId, clientId: textOf(asked.params.client_id) });
  const oidc = textsOf(missingOIDCScope);
  if (oidc.length > 0) grant.addOIDCScope(oidc.join(' '));
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
    grant.addResourceScope(resource, textsOf(scopes).join(' '));
  return { consent: { grantId: await grant.save() } };
}

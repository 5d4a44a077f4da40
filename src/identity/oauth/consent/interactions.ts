/** Interactions: sign-in and consent when a client requests authorization in a browser. */
import type { Provider } from 'oidc-provider';
import type { Interaction } from '../../../contract/identity-api.ts';
import { vpError } from '../../../errors/vp-error.ts';
import type { SessionCaller } from '../../caller.ts';
import type { IdentityContext } from '../../context.ts';
import { getRedirectHost } from '../clients/client-view.ts';
import type { OAuthServer } from '../server.ts';
import { type AuthorizationRequest, describeConsent, grantConsent, parseAuthorizationRequest } from './consent.ts';

type ProviderInteraction = InstanceType<Provider['Interaction']>;

/** Throws INTERACTION_ENDED. */
async function findInteraction({ provider }: OAuthServer, uid: string): Promise<ProviderInteraction> {
  const interaction = await provider.Interaction.find(uid);
  const isHandled = interaction?.prompt.name === 'login' || interaction?.prompt.name === 'consent';
  if (interaction && isHandled && !interaction.isExpired) return interaction;
  throw vpError('INTERACTION_ENDED', {});
}

/** What the page displays. Throws INTERACTION_ENDED. */
export async function describeInteraction(
  context: IdentityContext,
  server: OAuthServer,
  uid: string,
): Promise<Interaction> {
  const interaction = await findInteraction(server, uid);
  const request = parseAuthorizationRequest(interaction.params);
  // Before the sign-in step the person is unknown, even when the browser has a session.
  const personId = interaction.prompt.name === 'login' ? undefined : interaction.session?.accountId;
  const consent = await describeConsent(context, server, request, personId);
  return {
    kind: interaction.prompt.name === 'login' ? 'sign_in' : 'consent',
    client_name: consent.client.name,
    redirect_host: getRedirectHost(request.redirectUri ?? ''),
    scopes: [...request.scopes],
    ...consent,
  };
}

/** Stores the sign-in or the consent, and returns the URL at which the browser continues. Throws INTERACTION_ENDED, HUB_MEMBERSHIP_NEEDED. */
export async function decideInteraction(
  context: IdentityContext,
  server: OAuthServer,
  { uid, allow, caller }: { uid: string; allow: boolean; caller: SessionCaller },
): Promise<string> {
  const interaction = await findInteraction(server, uid);
  const request = parseAuthorizationRequest(interaction.params);
  const result = allow ? await buildApproval(context, server, { interaction, request, caller }) : denial;
  interaction.result = { ...(allow ? interaction.lastSubmission : {}), ...result };
  await interaction.persist();
  const event = allow ? `oauth_${interaction.prompt.name}` : 'oauth_declined';
  context.logSecurityEvent({
    event,
    level: 'info',
    person: caller.personId,
    client: request.clientId,
    resource: request.resource,
  });
  return interaction.returnTo;
}

const denial = { error: 'access_denied', error_description: 'the person denied the request' };

async function buildApproval(
  context: IdentityContext,
  server: OAuthServer,
  {
    interaction,
    request,
    caller: { personId },
  }: { interaction: ProviderInteraction; request: AuthorizationRequest; caller: SessionCaller },
): Promise<object> {
  if (interaction.prompt.name === 'login') return { login: { accountId: personId, remember: false } };
  // Another person has signed in to this browser since the interaction started.
  if (interaction.session?.accountId !== personId) throw vpError('INTERACTION_ENDED', {});
  return { consent: { grantId: await grantConsent(context, server, request, personId) } };
}

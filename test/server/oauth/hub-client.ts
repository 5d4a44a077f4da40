/** A control plane with Ana's hub `acme`, and OAuth clients for it. */
import { createHash } from 'node:crypto';
import type { Test } from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import type { IdentitySettings } from '../../../src/identity/settings.ts';
import {
  decideInteraction,
  type HttpBrowser,
  type OAuthControlPlane,
  parseInteractionUid,
  postForm,
  signInFirstOwner,
  startOAuthControlPlane,
} from './oauth-control-plane.ts';

const redirectUri = 'http://127.0.0.1:45678/callback';

/** Opens it. `post` sends a message of MCP with a token. */
export async function startHubControlPlane(
  t: Test,
  oauthSettings: Partial<IdentitySettings['oauth']> = {},
  metadata: Parameters<typeof startOAuthControlPlane>[1] = {},
) {
  const plane = await startOAuthControlPlane(t, { ...metadata, oauth: oauthSettings });
  const ana = await signInFirstOwner(plane);
  await ana.api('POST', '/hubs', { slug: 'acme', name: 'Acme' });
  const post = (path: string, bearer: string | undefined, message: unknown): Promise<Response> =>
    fetch(`${plane.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(message),
    });
  return { plane, ana, post };
}

/** Registers a program; see RFC 7591. */
export async function registerClient(plane: { url: string }, metadata: object): Promise<Response> {
  return fetch(`${plane.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
}

/** A registered program. */
export async function createRegisteredClient(plane: { url: string }, metadata: object = {}) {
  const response = await registerClient(plane, { client_name: 'Probe', redirect_uris: [redirectUri], ...metadata });
  if (response.status !== 201) throw new Error(await response.text());
  const { client_id: clientId }: { client_id: string } = await response.json();
  return createOAuthClient(plane, clientId);
}

/** A program with a way to begin an authorization for a resource. */
export function createOAuthClient(plane: { url: string }, clientId: string) {
  const startAuthorization = (resource: string | undefined, query: Record<string, string> = {}) => {
    const verifier = systemRandom.token(32);
    const parameters = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      state: 's',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(resource === undefined ? {} : { resource }),
      ...query,
    });
    return { url: `${plane.url}/oauth/authorize?${parameters}`, verifier };
  };
  return { clientId, ask: startAuthorization };
}

/** Authorizes a client for a resource; returns the consent details and the tokens. */
export async function authorizeClient(
  plane: OAuthControlPlane,
  browser: HttpBrowser,
  { clientId, ask: startAuthorization }: ReturnType<typeof createOAuthClient>,
  resource: string,
  query: Record<string, string> = {},
) {
  const { url, verifier } = startAuthorization(resource, query);
  const consent = await decideInteraction(browser, await browser.navigate(url), true);
  const consentDetails = await (await browser.api('GET', `/interactions/${parseInteractionUid(consent)}`)).json();
  const redirect = await decideInteraction(browser, consent, true);
  const code = new URL(redirect.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
  const { body: tokens } = await postForm(plane, 'token', { ...fields, resource, client_id: clientId });
  if (!tokens.access_token) throw new Error(JSON.stringify(tokens));
  return { consentDetails: consentDetails, tokens };
}

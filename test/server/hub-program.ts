/** A control plane with the hub `acme` of Ana, and programs that want into it. */
import { createHash } from 'node:crypto';
import type { Test } from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import type { IdentitySettings } from '../../src/identity/settings.ts';
import { answer, firstOwner, form, type OAuthPlane, oauthPlane, type RealBrowser, uidOf } from './oauth-plane.ts';

const redirectUri = 'http://127.0.0.1:45678/callback';

/** Opens it. `post` sends a message of MCP with a token. */
export async function opened(
  t: Test,
  oauth: Partial<IdentitySettings['oauth']> = {},
  more: Parameters<typeof oauthPlane>[1] = {},
) {
  const plane = await oauthPlane(t, { ...more, oauth });
  const ana = await firstOwner(plane);
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
export async function registering(plane: { url: string }, metadata: object): Promise<Response> {
  return fetch(`${plane.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
}

/** A registered program. */
export async function clientOf(plane: { url: string }, more: object = {}) {
  const answered = await registering(plane, { client_name: 'Probe', redirect_uris: [redirectUri], ...more });
  if (answered.status !== 201) throw new Error(await answered.text());
  const { client_id: clientId }: { client_id: string } = await answered.json();
  return programOf(plane, clientId);
}

/** A program with a way to begin an authorization for a resource. */
export function programOf(plane: { url: string }, clientId: string) {
  const ask = (resource: string | undefined, query: Record<string, string> = {}) => {
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
  return { clientId, ask };
}

/** Lets a program into a resource; what the page showed, and the tokens. */
export async function letIn(
  plane: OAuthPlane,
  one: RealBrowser,
  { clientId, ask }: ReturnType<typeof programOf>,
  resource: string,
  query: Record<string, string> = {},
) {
  const { url, verifier } = ask(resource, query);
  const consent = await answer(one, await one.go(url), true);
  const shown = await (await one.api('GET', `/interactions/${uidOf(consent)}`)).json();
  const back = await answer(one, consent, true);
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
  const { body: tokens } = await form(plane, 'token', { ...fields, resource, client_id: clientId });
  if (!tokens.access_token) throw new Error(JSON.stringify(tokens));
  return { shown, tokens };
}

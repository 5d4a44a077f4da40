/** An OAuth client for tests: it follows the discovered metadata, and can send invalid requests. */
import { createHash } from 'node:crypto';
import { systemRandom } from '../../src/environment/random.ts';
import { decideInteraction, type HttpBrowser } from '../server/oauth/oauth-control-plane.ts';

/** Ordered fields of a form; names may repeat. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** A registered client with one of its redirect URIs. */
export type OAuthTestClient = { readonly url: string; readonly clientId: string; readonly redirectUri: string };

/** The URL of an authorization request with its PKCE verifier. */
export type PreparedAuthorization = { readonly url: string; readonly verifier: string };

export type OAuthResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, string>;
};

/** The redirect URI of test clients; no server listens there. */
export const callbackUrl = 'http://127.0.0.1:45678/callback';

export function buildHubResource({ url }: { url: string }, slug = 'acme'): string {
  return `${url}/hub/${slug}`;
}

type ServerMetadata = {
  readonly registration_endpoint: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint: string;
  readonly device_authorization_endpoint: string;
};

export async function fetchServerMetadata({ url }: { url: string }): Promise<ServerMetadata> {
  return (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
}

/** Posts a registration (RFC 7591). */
export async function postRegistration(plane: { url: string }, client: object): Promise<OAuthResponse> {
  const { registration_endpoint: endpoint } = await fetchServerMetadata(plane);
  return readResponse(
    await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(client),
    }),
  );
}

/** The registration of a public client, as common MCP clients send it. */
export function buildPublicClient(more: object = {}): object {
  return {
    client_name: 'Probe',
    redirect_uris: [callbackUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...more,
  };
}

export async function registerClient(
  plane: { url: string },
  redirectUri = callbackUrl,
  more: object = {},
): Promise<OAuthTestClient> {
  const { status, body } = await postRegistration(plane, buildPublicClient({ redirect_uris: [redirectUri], ...more }));
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return { url: plane.url, clientId: body.client_id ?? '', redirectUri };
}

/** Builds an authorization request for the hub `acme`; `change` modifies its query. */
export function prepareAuthorization(
  { url, clientId, redirectUri }: OAuthTestClient,
  change: (query: URLSearchParams) => void = () => undefined,
): PreparedAuthorization {
  const verifier = systemRandom.token(32);
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    state: 'the-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: buildHubResource({ url }),
  });
  change(query);
  return { url: `${url}/oauth/authorize?${query}`, verifier };
}

/**
 * The outcome of opening an authorization URL: `interaction` when the person is prompted, the error code when the client
 * gets one by a redirect, and the HTTP status when only the browser gets an error.
 */
export async function startAuthorization(browser: HttpBrowser, { url }: PreparedAuthorization): Promise<string> {
  const response = await browser.navigate(url);
  const location = response.headers.get('location') ?? '';
  if (location.startsWith('/interaction/')) return 'interaction';
  if (!URL.canParse(location)) return String(response.status);
  const { searchParams, hash } = new URL(location);
  return searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error') ?? location;
}

/** Signs in, approves or denies, and returns the query that the client receives. */
export async function completeAuthorization(
  browser: HttpBrowser,
  { url }: PreparedAuthorization,
  allow = true,
): Promise<URLSearchParams> {
  const back = await decideInteraction(
    browser,
    await decideInteraction(browser, await browser.navigate(url), true),
    allow,
  );
  return new URL(back.headers.get('location') ?? '').searchParams;
}

/** An authorization code that the person of the browser approved. */
export async function obtainHubCode(browser: HttpBrowser, authorization: PreparedAuthorization): Promise<string> {
  const query = await completeAuthorization(browser, authorization);
  const code = query.get('code');
  if (code === null) throw new Error(`no code: ${query}`);
  return code;
}

/** Posts a form to the OAuth server. */
export async function postFields({ url }: { url: string }, path: string, fields: Fields): Promise<OAuthResponse> {
  const body = new URLSearchParams();
  for (const [name, value] of fields) body.append(name, value);
  return readResponse(await fetch(`${url}/oauth/${path}`, { method: 'POST', body }));
}

async function readResponse(response: Response): Promise<OAuthResponse> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : {} };
}

/** The valid form that redeems a code. */
export function buildCodeRedemption(
  { clientId, redirectUri, url }: OAuthTestClient,
  code: string,
  { verifier }: PreparedAuthorization,
): Fields {
  return [
    ['grant_type', 'authorization_code'],
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['code', code],
    ['code_verifier', verifier],
    ['resource', buildHubResource({ url })],
  ];
}

/** The same form with one field replaced or removed. */
export function replaceField(fields: Fields, name: string, value?: string): Fields {
  const remaining = fields.filter(([field]) => field !== name);
  return value === undefined ? remaining : [...remaining, [name, value]];
}

/** Runs a complete authorization and returns the tokens. */
export async function obtainTokens(
  browser: HttpBrowser,
  client: OAuthTestClient,
  change: (query: URLSearchParams) => void = () => undefined,
): Promise<Record<string, string>> {
  const authorization = prepareAuthorization(client, change);
  const resource = new URL(authorization.url).searchParams.get('resource') ?? undefined;
  const form = buildCodeRedemption(client, await obtainHubCode(browser, authorization), authorization);
  const { status, body } = await postFields(client, 'token', replaceField(form, 'resource', resource));
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

export function refreshTokens({ url, clientId }: OAuthTestClient, refreshToken: string | undefined, more: Fields = []) {
  return postFields({ url }, 'token', [
    ['grant_type', 'refresh_token'],
    ['client_id', clientId],
    ['refresh_token', refreshToken ?? ''],
    ...more,
  ]);
}

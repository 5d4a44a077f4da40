/** A program that wants into a hub: what it does by the documents that it finds, and whatever it should not do. */
import { createHash } from 'node:crypto';
import { systemRandom } from '../../src/environment/random.ts';
import { answer, type RealBrowser } from '../server/oauth-plane.ts';

/** Fields of a form or a query, in their order; a name may stand twice. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** A registered program, with one of its redirect addresses. */
export type Program = { readonly url: string; readonly clientId: string; readonly redirectUri: string };

/** A request for authorization, with what only the program knows. */
export type Asked = { readonly url: string; readonly verifier: string };

/** An answer of the token endpoint and its like. */
export type Answered = { readonly status: number; readonly headers: Headers; readonly body: Record<string, string> };

/** Where programs of tests are sent back to; nobody listens there. */
export const callback = 'http://127.0.0.1:45678/callback';

/** The resource of a hub. */
export function resourceOf({ url }: { url: string }, slug = 'acme'): string {
  return `${url}/hub/${slug}`;
}

type Metadata = {
  readonly registration_endpoint: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint: string;
  readonly device_authorization_endpoint: string;
};

/** What the authorization server says of itself. */
export async function metadataOf({ url }: { url: string }): Promise<Metadata> {
  return (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
}

/** Posts a registration (RFC 7591). */
export async function registering(plane: { url: string }, client: object): Promise<Answered> {
  const { registration_endpoint: endpoint } = await metadataOf(plane);
  return answered(
    await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(client),
    }),
  );
}

/** The registration of a public client, as the usual programs send it. */
export function publicClient(more: object = {}): object {
  return {
    client_name: 'Probe',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...more,
  };
}

/** Registers a public client. */
export async function registered(plane: { url: string }, redirectUri = callback, more: object = {}): Promise<Program> {
  const { status, body } = await registering(plane, publicClient({ redirect_uris: [redirectUri], ...more }));
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return { url: plane.url, clientId: body.client_id ?? '', redirectUri };
}

/** Begins an authorization for the hub `acme`; `change` may spoil it. */
export function asking(
  { url, clientId, redirectUri }: Program,
  change: (query: URLSearchParams) => void = () => undefined,
): Asked {
  const verifier = systemRandom.token(32);
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    state: 'the-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: resourceOf({ url }),
  });
  change(query);
  return { url: `${url}/oauth/authorize?${query}`, verifier };
}

/**
 * What comes of opening an address: `asked` where a person is, the error where the program is told one, and the status
 * where only the person is told.
 */
export async function begun(one: RealBrowser, { url }: Asked): Promise<string> {
  const response = await one.go(url);
  const location = response.headers.get('location') ?? '';
  if (location.startsWith('/interaction/')) return 'asked';
  if (!URL.canParse(location)) return String(response.status);
  const { searchParams, hash } = new URL(location);
  return searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error') ?? location;
}

/** Where the browser lands when the person allows it, or refuses: the query that the program gets. */
export async function landed(one: RealBrowser, { url }: Asked, allow = true): Promise<URLSearchParams> {
  const back = await answer(one, await answer(one, await one.go(url), true), allow);
  return new URL(back.headers.get('location') ?? '').searchParams;
}

/** A code that somebody gave. */
export async function codeBy(one: RealBrowser, asked: Asked): Promise<string> {
  const query = await landed(one, asked);
  const code = query.get('code');
  if (code === null) throw new Error(`no code: ${query}`);
  return code;
}

/** Posts a form to the OAuth server. */
export async function posted({ url }: { url: string }, path: string, fields: Fields): Promise<Answered> {
  const body = new URLSearchParams();
  for (const [name, value] of fields) body.append(name, value);
  return answered(await fetch(`${url}/oauth/${path}`, { method: 'POST', body }));
}

async function answered(response: Response): Promise<Answered> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : {} };
}

/** The form that redeems a code rightly. */
export function redemption({ clientId, redirectUri, url }: Program, code: string, { verifier }: Asked): Fields {
  return [
    ['grant_type', 'authorization_code'],
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['code', code],
    ['code_verifier', verifier],
    ['resource', resourceOf({ url })],
  ];
}

/** The same form with one field replaced, or left out. */
export function but(fields: Fields, name: string, value?: string): Fields {
  const others = fields.filter(([one]) => one !== name);
  return value === undefined ? others : [...others, [name, value]];
}

/** The tokens of a whole way: asked, allowed, redeemed. */
export async function tokensBy(
  one: RealBrowser,
  program: Program,
  change: (query: URLSearchParams) => void = () => undefined,
): Promise<Record<string, string>> {
  const asked = asking(program, change);
  const resource = new URL(asked.url).searchParams.get('resource') ?? undefined;
  const form = redemption(program, await codeBy(one, asked), asked);
  const { status, body } = await posted(program, 'token', but(form, 'resource', resource));
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/** Renews. */
export function renewed({ url, clientId }: Program, refreshToken: string | undefined, more: Fields = []) {
  return posted({ url }, 'token', [
    ['grant_type', 'refresh_token'],
    ['client_id', clientId],
    ['refresh_token', refreshToken ?? ''],
    ...more,
  ]);
}

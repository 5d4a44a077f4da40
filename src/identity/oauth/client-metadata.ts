/** What a program may say of itself (RFC 7591), by its own registration or by its document. Strangers say it. */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { pageProblem, redirectProblem } from './client-addresses.ts';
import { nameProblem } from './client-names.ts';

const texts = Type.Optional(Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 20 }));
const text = Type.Optional(Type.String({ maxLength: 2000 }));
const Given = Type.Object({
  redirect_uris: Type.Optional(Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 10 })),
  client_name: text,
  client_uri: text,
  grant_types: texts,
  response_types: texts,
  token_endpoint_auth_method: text,
});
type Given = Static<typeof Given>;
const given = TypeCompiler.Compile(Given);

const device = 'urn:ietf:params:oauth:grant-type:device_code';
const knownGrants = ['authorization_code', 'refresh_token', device];
/** How a program proves itself at the token endpoint; `none` is a public client. */
export const authMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** A program as it is kept. */
export type ClientFields = {
  readonly client_name: string;
  readonly client_uri?: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: (typeof authMethods)[number];
};

/** A refusal with the words of RFC 7591 section 3.2.2. */
export class ClientRefusal extends Error {
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata';

  constructor(code: ClientRefusal['code'], message: string) {
    super(message);
    this.code = code;
  }
}

function invalid(message: string): ClientRefusal {
  return new ClientRefusal('invalid_client_metadata', message);
}

/** Keeps what we look at and drops the rest. Throws ClientRefusal. */
export function admittedClient(metadata: unknown): ClientFields {
  if (!given.Check(metadata)) {
    const first = given.Errors(metadata).First();
    throw invalid(`${first?.path.slice(1).split('/')[0] || 'the request'} is not of its form, or too large`);
  }
  refusePages(metadata);
  const grants = grantsOf(metadata);
  const { client_name: name = 'A program without a name', client_uri: uri } = metadata;
  const problem = nameProblem(name);
  if (problem !== undefined) throw invalid(`client_name ${problem}`);
  const withCode = grants.includes('authorization_code');
  return {
    client_name: name,
    ...(uri === undefined ? {} : { client_uri: uri }),
    redirect_uris: redirectsOf(metadata, withCode),
    grant_types: grants,
    response_types: withCode ? ['code'] : [],
    token_endpoint_auth_method: methodOf(metadata),
  };
}

/** Whatever page it names, also in other languages (`tos_uri#fr`) and also those that we never open. */
function refusePages(metadata: object): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (!/_uri(#|$)/.test(name)) continue;
    const problem = typeof value === 'string' ? pageProblem(value) : 'is no text';
    if (problem !== undefined) throw invalid(`${name.slice(0, 60)} ${problem}`);
  }
}

function grantsOf({
  grant_types: asked = ['authorization_code', 'refresh_token'],
  response_types: responses,
}: Given): string[] {
  const grants = knownGrants.filter((grant) => asked.includes(grant));
  if (grants.every((grant) => grant === 'refresh_token'))
    throw invalid(`grant_types: there are ${knownGrants.join(', ')}`);
  const wantsOther = responses !== undefined && grants.includes('authorization_code') && !responses.includes('code');
  if (wantsOther) throw invalid('response_types: there is code');
  return grants;
}

function redirectsOf({ redirect_uris: redirects = [] }: Given, needed: boolean): string[] {
  if (needed && redirects.length === 0) throw new ClientRefusal('invalid_redirect_uri', 'redirect_uris is empty');
  for (const redirect of redirects) {
    const problem = redirectProblem(redirect);
    if (problem !== undefined)
      throw new ClientRefusal('invalid_redirect_uri', `an address of redirect_uris ${problem}`);
  }
  return [...new Set(redirects)];
}

function methodOf({ token_endpoint_auth_method: asked = 'none' }: Given): ClientFields['token_endpoint_auth_method'] {
  const method = authMethods.find((one) => one === asked);
  if (method) return method;
  throw invalid(`token_endpoint_auth_method: there are ${authMethods.join(', ')}`);
}

/** Validates client metadata (RFC 7591) from a registration or a metadata document. The input is not trusted. */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { findNameProblem } from './client-names.ts';
import { findPageProblem, findRedirectProblem } from './client-urls.ts';

const optionalTexts = Type.Optional(Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 20 }));
const optionalText = Type.Optional(Type.String({ maxLength: 2000 }));
const SubmittedMetadata = Type.Object({
  redirect_uris: Type.Optional(Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 10 })),
  client_name: optionalText,
  client_uri: optionalText,
  grant_types: optionalTexts,
  response_types: optionalTexts,
  token_endpoint_auth_method: optionalText,
});
type SubmittedMetadata = Static<typeof SubmittedMetadata>;
const metadataValidator = TypeCompiler.Compile(SubmittedMetadata);

const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const supportedGrants = ['authorization_code', 'refresh_token', deviceCodeGrant];
/** Client authentication at the token endpoint; `none` is a public client. */
export const supportedAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

export type StoredClientMetadata = {
  readonly client_name: string;
  readonly client_uri?: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: (typeof supportedAuthMethods)[number];
};

/** An error with the codes of RFC 7591 section 3.2.2. */
export class ClientMetadataError extends Error {
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata';

  constructor(code: ClientMetadataError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

function createMetadataError(message: string): ClientMetadataError {
  return new ClientMetadataError('invalid_client_metadata', message);
}

/** Returns the supported fields and drops all others. Throws ClientMetadataError. */
export function parseClientMetadata(metadata: unknown): StoredClientMetadata {
  if (!metadataValidator.Check(metadata)) {
    const first = metadataValidator.Errors(metadata).First();
    throw createMetadataError(`${first?.path.slice(1).split('/')[0] || 'the request'} is invalid or too large`);
  }
  assertPageUrls(metadata);
  const grants = parseGrants(metadata);
  const { client_name: name = 'Unnamed app', client_uri: uri } = metadata;
  const problem = findNameProblem(name);
  if (problem !== undefined) throw createMetadataError(`client_name ${problem}`);
  const usesCode = grants.includes('authorization_code');
  return {
    client_name: name,
    ...(uri === undefined ? {} : { client_uri: uri }),
    redirect_uris: parseRedirects(metadata, usesCode),
    grant_types: grants,
    response_types: usesCode ? ['code'] : [],
    token_endpoint_auth_method: parseAuthMethod(metadata),
  };
}

/** Checks every URL field, including translations (`tos_uri#fr`) and fields that are never used. */
function assertPageUrls(metadata: object): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (!/_uri(#|$)/.test(name)) continue;
    const problem = typeof value === 'string' ? findPageProblem(value) : 'is not a string';
    if (problem !== undefined) throw createMetadataError(`${name.slice(0, 60)} ${problem}`);
  }
}

function parseGrants({
  grant_types: requested = ['authorization_code', 'refresh_token'],
  response_types: responses,
}: SubmittedMetadata): string[] {
  const grants = supportedGrants.filter((grant) => requested.includes(grant));
  if (grants.every((grant) => grant === 'refresh_token'))
    throw createMetadataError(`grant_types: the supported values are ${supportedGrants.join(', ')}`);
  const excludesCode = responses !== undefined && grants.includes('authorization_code') && !responses.includes('code');
  if (excludesCode) throw createMetadataError('response_types: the supported value is code');
  return grants;
}

function parseRedirects({ redirect_uris: redirects = [] }: SubmittedMetadata, isRequired: boolean): string[] {
  if (isRequired && redirects.length === 0)
    throw new ClientMetadataError('invalid_redirect_uri', 'redirect_uris is empty');
  for (const redirect of redirects) {
    const problem = findRedirectProblem(redirect);
    if (problem !== undefined)
      throw new ClientMetadataError('invalid_redirect_uri', `a URL in redirect_uris ${problem}`);
  }
  return [...new Set(redirects)];
}

function parseAuthMethod({
  token_endpoint_auth_method: requested = 'none',
}: SubmittedMetadata): StoredClientMetadata['token_endpoint_auth_method'] {
  const method = supportedAuthMethods.find((supported) => supported === requested);
  if (method) return method;
  throw createMetadataError(`token_endpoint_auth_method: the supported values are ${supportedAuthMethods.join(', ')}`);
}

import { createCredentialInvalidError } from '../errors/credential-invalid-error.ts';
import { vpError } from '../errors/vp-error.ts';

const maxTokenLength = 1024;

/**
 * The caller of the `Authorization: Bearer` header (RFC 6750 section 2.1), the only place where a credential is read from.
 * Throws CREDENTIAL_MISSING without the header, CREDENTIAL_INVALID for an unknown token.
 */
export async function authenticateBearer<C>(
  headers: Pick<Headers, 'get'>,
  authenticate: (token: string) => Promise<C | undefined>,
): Promise<C> {
  const token = readBearerToken(headers);
  const caller = token === undefined ? undefined : await authenticate(token);
  if (!caller) throw createCredentialInvalidError(token);
  return caller;
}

/** Undefined for a malformed header. Throws CREDENTIAL_MISSING without the header. */
export function readBearerToken(headers: Pick<Headers, 'get'>): string | undefined {
  const header = headers.get('authorization');
  if (!header) throw vpError('CREDENTIAL_MISSING', {});
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1];
  return token !== undefined && token.length <= maxTokenLength ? token : undefined;
}

/** Undefined without the header or for an empty one; empty for a malformed header, which counts as an unknown token. */
export function readOptionalBearerToken(headers: Pick<Headers, 'get'>): string | undefined {
  return headers.get('authorization')?.trim() ? (readBearerToken(headers) ?? '') : undefined;
}

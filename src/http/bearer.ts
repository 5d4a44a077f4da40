import { credentialInvalid } from '../errors/credential-invalid.ts';
import { vpError } from '../errors/vp-error.ts';

/** Longer credentials are not looked up. */
const maxTokenLength = 1024;

/**
 * The caller that the `Authorization: Bearer` header stands for (RFC 6750 section 2.1; the only place a credential is
 * read from). Throws CREDENTIAL_MISSING without the header, CREDENTIAL_INVALID for one that is not known.
 */
export async function callerOf<C>(
  headers: Pick<Headers, 'get'>,
  authenticate: (token: string) => Promise<C | undefined>,
): Promise<C> {
  const token = bearerOf(headers);
  const caller = token === undefined ? undefined : await authenticate(token);
  if (!caller) throw credentialInvalid(token);
  return caller;
}

/** The token of the header; undefined when it is not one. Throws CREDENTIAL_MISSING without the header. */
export function bearerOf(headers: Pick<Headers, 'get'>): string | undefined {
  const header = headers.get('authorization');
  if (!header) throw vpError('CREDENTIAL_MISSING', {});
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1];
  return token !== undefined && token.length <= maxTokenLength ? token : undefined;
}

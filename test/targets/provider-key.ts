/** The signing key of test providers of OpenID Connect and OAuth. */
import { generateKeyPairSync, type webcrypto } from 'node:crypto';

let createdKey: webcrypto.JsonWebKey | undefined;

/** One RSA key for all providers of a process: creating one takes up to 100 ms of processor time. */
export function getProviderKey(): webcrypto.JsonWebKey & { kty: 'RSA'; kid: string; use: string; alg: string } {
  createdKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  return { ...createdKey, kty: 'RSA', kid: 'one', use: 'sig', alg: 'RS256' };
}

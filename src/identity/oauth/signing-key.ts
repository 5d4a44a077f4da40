/** The key that the OAuth server signs with: ES256, sealed in the store, made when it is first needed. */
import { generateKeyPairSync } from 'node:crypto';
import { vpError } from '../../errors/vp-error.ts';
import { seal, unseal } from '../../secrets/sealing.ts';
import { insertSigningKey, listSigningKeys } from '../../store/control/identity-oauth.ts';
import type { IdentityContext } from '../context.ts';

/** A private key as JWK (RFC 7517). */
export type SigningKey = Readonly<Record<string, string>>;

const placeOf = (kid: string): string => `signing_keys/sealed/${kid}`;

/** All keys, the one in use first. */
export async function signingKeys(context: IdentityContext): Promise<SigningKey[]> {
  const { database, keys } = context;
  const rows = await database.read(listSigningKeys);
  if (rows.length === 0) return [await makeKey(context)];
  return rows.map(({ kid, sealed }) => {
    const plain = unseal(keys.dataKey, placeOf(kid), sealed);
    if (!plain) throw vpError('INTERNAL', {}, { detail: `the signing key ${kid} cannot be opened` });
    return JSON.parse(Buffer.from(plain).toString());
  });
}

async function makeKey({ database, keys, random, clock }: IdentityContext): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = random.token(12);
  const { kty = 'EC', crv = 'P-256', x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const key = { kty, crv, x, y, d, kid, alg: 'ES256', use: 'sig' };
  const sealed = seal(keys.dataKey, placeOf(kid), Buffer.from(JSON.stringify(key)), random);
  await database.write((sql) => insertSigningKey(sql, kid, sealed, clock.nowMs()));
  return key;
}

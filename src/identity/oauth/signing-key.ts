/** The OAuth server's signing key: ES256, sealed in the store, created at first use. */
import { generateKeyPairSync } from 'node:crypto';
import { vpError } from '../../errors/vp-error.ts';
import { seal, unseal } from '../../secrets/sealing.ts';
import { insertSigningKey, listSigningKeys } from '../../store/control/oauth/oauth-records.ts';
import type { IdentityContext } from '../context.ts';

/** A private key as JWK (RFC 7517). */
export type SigningKey = Readonly<Record<string, string>>;

type SigningKeyContext = Pick<IdentityContext, 'database' | 'keys' | 'random' | 'clock'>;

const getSealingContext = (kid: string): string => `signing_keys/sealed/${kid}`;

/** All keys, the current one first; creates one if there is none. */
export async function loadSigningKeys(context: SigningKeyContext): Promise<SigningKey[]> {
  const { database, keys } = context;
  const rows = await database.read(listSigningKeys);
  if (rows.length === 0) return [await createSigningKey(context)];
  return rows.map(({ kid, sealed }) => {
    const plain = unseal(keys.dataKey, getSealingContext(kid), sealed);
    if (!plain) throw vpError('INTERNAL', {}, { detail: `the signing key ${kid} cannot be opened` });
    return JSON.parse(Buffer.from(plain).toString());
  });
}

async function createSigningKey({ database, keys, random, clock }: SigningKeyContext): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = random.token(12);
  const { kty = 'EC', crv = 'P-256', x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const key = { kty, crv, x, y, d, kid, alg: 'ES256', use: 'sig' };
  const sealed = seal(keys.dataKey, getSealingContext(kid), Buffer.from(JSON.stringify(key)), random);
  await database.write((sql) => insertSigningKey(sql, kid, sealed, clock.nowMs()));
  return key;
}

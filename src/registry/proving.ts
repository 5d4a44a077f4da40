/**
 * Who may publish: whoever signs the present moment with a key that the domain shows in a TXT record. A signed moment is
 * taken once, within seconds; what is given for it is a token for publishing under the names of that domain.
 */
import { createHash } from 'node:crypto';
import type { RegistryProof, RegistryToken } from '../contract/registry-api.ts';
import { vpError } from '../errors/vp-error.ts';
import { bearerHash } from '../secrets/bearer.ts';
import { domainOfRegistryToken, insertRegistryToken, spendRegistryProof } from '../store/control/registry-proofs.ts';
import type { RegistryContext } from './context.ts';
import { domainOf } from './domain.ts';
import { proofRecords } from './proof-record.ts';
import { isSignedBy, type PublicKey, shortKey } from './signature.ts';

/** What tokens of the registry begin with. */
export const registryTokenPrefix = 'vpreg_';

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/** Throws REGISTRY_TIMESTAMP_REFUSED. */
function demandMoment({ clock, settings }: RegistryContext, timestamp: string): number {
  const refused = (problem: string) => vpError('REGISTRY_TIMESTAMP_REFUSED', { problem });
  const momentMs = rfc3339.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(momentMs)) throw refused('it is not written as RFC 3339 has it');
  const differenceMs = momentMs - clock.nowMs();
  if (Math.abs(differenceMs) <= settings.timestampMs) return momentMs;
  const seconds = Math.min(Math.round(Math.abs(differenceMs) / 1000), 1_000_000_000);
  throw refused(`it is ${seconds} s ${differenceMs < 0 ? 'behind' : 'ahead of'} this registry’s clock`);
}

/** Throws REGISTRY_DOMAIN_INVALID, REGISTRY_DOMAIN_CLOSED. */
export function demandDomain({ settings }: Pick<RegistryContext, 'settings'>, text: string): string {
  const domain = domainOf(text);
  if (domain === undefined) throw vpError('REGISTRY_DOMAIN_INVALID', { domain: JSON.stringify(text.slice(0, 100)) });
  if (!settings.domains.includes(domain)) throw vpError('REGISTRY_DOMAIN_CLOSED', { domain });
  return domain;
}

/** The key of the domain that signed. Throws REGISTRY_DNS_FAILED, REGISTRY_RECORD_MISSING, REGISTRY_KEY_OTHER. */
async function demandSigner(context: RegistryContext, domain: string, proof: RegistryProof): Promise<PublicKey> {
  const records = proofRecords(await context.records(domain));
  const keys = records.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) {
    const found = records.length === 0 ? '' : `; ${records.length} that want to be one cannot be read`;
    throw vpError('REGISTRY_RECORD_MISSING', { domain, found, at: '' });
  }
  const signer = keys.find((key) => isSignedBy(key, proof.timestamp, proof.signed_timestamp));
  if (signer) return signer;
  throw vpError('REGISTRY_KEY_OTHER', { domain, keys: keys.map(shortKey).join(', ').slice(0, 300), at: '' });
}

/** The token for a proof. Throws what is told above, and REGISTRY_TIMESTAMP_REFUSED for one that was used. */
async function proven(context: RegistryContext, proof: RegistryProof): Promise<RegistryToken> {
  const { database, clock, random, settings, hashKey, tell } = context;
  const domain = demandDomain(context, proof.domain);
  const momentMs = demandMoment(context, proof.timestamp);
  const key = await demandSigner(context, domain, proof);
  const nowMs = clock.nowMs();
  // By key and moment, whatever the domain: the signature says neither whom it is for nor what it proves.
  const hash = createHash('sha256').update(`${key.algorithm} ${key.text} ${momentMs}`).digest('hex');
  const secret = registryTokenPrefix + random.token(32);
  const expiresAtMs = nowMs + settings.tokenMs;
  await database.write((sql) => {
    const spent = { hash, expiresAtMs: momentMs + 2 * settings.timestampMs, nowMs };
    if (!spendRegistryProof(sql, spent))
      throw vpError('REGISTRY_TIMESTAMP_REFUSED', { problem: 'it was used before, and each is taken once' });
    insertRegistryToken(sql, { hash: bearerHash(secret, hashKey), domain, expiresAtMs, nowMs });
  });
  tell({ event: 'registry_domain_proven', level: 'info', domain, key: shortKey(key) });
  return { registry_token: secret, expires_at: Math.floor(expiresAtMs / 1000) };
}

/** See {@link proven}; refusals are told to the log of security. */
export async function prove(context: RegistryContext, proof: RegistryProof, address: string): Promise<RegistryToken> {
  try {
    return await proven(context, proof);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'INTERNAL';
    const domain = domainOf(proof.domain) ?? 'none';
    context.tell({ event: 'registry_proof_refused', level: 'warn', domain, code, address });
    throw error;
  }
}

/** The domain that a token was given for. Throws REGISTRY_TOKEN_INVALID, REGISTRY_DOMAIN_CLOSED. */
export async function demandToken(context: RegistryContext, token: string | undefined): Promise<string> {
  const { database, hashKey, clock } = context;
  const isOurs = token?.startsWith(registryTokenPrefix) === true && token.length < 100;
  const hash = bearerHash(token ?? '', hashKey);
  const domain = isOurs ? await database.read((sql) => domainOfRegistryToken(sql, hash, clock.nowMs())) : undefined;
  if (domain === undefined) throw vpError('REGISTRY_TOKEN_INVALID', {});
  return demandDomain(context, domain);
}

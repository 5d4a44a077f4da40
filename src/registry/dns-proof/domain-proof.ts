/**
 * Domain proofs: a publisher signs the present time with a key whose public half is in a TXT record of the domain. Each signed
 * timestamp is accepted once, within seconds, and is exchanged for a token that may publish under that domain's names.
 */
import { createHash } from 'node:crypto';
import type { RegistryDomainProof, RegistryToken } from '../../contract/registry/registry-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { hashBearer } from '../../secrets/bearer.ts';
import {
  consumeRegistryProof,
  findRegistryTokenDomain,
  insertRegistryToken,
} from '../../store/control/registry/domain-proofs.ts';
import type { RegistryContext } from '../context.ts';
import { parseDomain } from './domain.ts';
import { parseProofRecords } from './proof-record.ts';
import { abbreviateKey, type DomainPublicKey, isSignedBy } from './signature.ts';

const registryTokenPrefix = 'vpreg_';

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/** Throws REGISTRY_TIMESTAMP_REFUSED. */
function parseTimestamp({ clock, settings }: RegistryContext, timestamp: string): number {
  const refuse = (problem: string) => vpError('REGISTRY_TIMESTAMP_REFUSED', { problem });
  const signedAtMs = rfc3339.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(signedAtMs)) throw refuse('it is not in RFC 3339 format');
  const differenceMs = signedAtMs - clock.nowMs();
  if (Math.abs(differenceMs) <= settings.maxClockDifferenceMs) return signedAtMs;
  const seconds = Math.min(Math.round(Math.abs(differenceMs) / 1000), 1_000_000_000);
  throw refuse(`it is ${seconds} s ${differenceMs < 0 ? 'behind' : 'ahead of'} this registry’s clock`);
}

/** Throws REGISTRY_DOMAIN_INVALID, REGISTRY_DOMAIN_CLOSED. */
function requireAllowedDomain({ settings }: Pick<RegistryContext, 'settings'>, text: string): string {
  const domain = parseDomain(text);
  if (domain === undefined) throw vpError('REGISTRY_DOMAIN_INVALID', { domain: JSON.stringify(text.slice(0, 100)) });
  if (!settings.domains.includes(domain)) throw vpError('REGISTRY_DOMAIN_CLOSED', { domain });
  return domain;
}

/** The key of the domain that made the signature. Throws REGISTRY_DNS_FAILED, REGISTRY_RECORD_MISSING, REGISTRY_KEY_OTHER. */
async function findSigner(
  context: RegistryContext,
  domain: string,
  proof: RegistryDomainProof,
): Promise<DomainPublicKey> {
  const records = parseProofRecords(await context.lookUpTextRecords(domain));
  const keys = records.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) {
    const unreadable = records.length === 0 ? '' : `; ${records.length} look like one but are malformed`;
    throw vpError('REGISTRY_RECORD_MISSING', { domain, malformed: unreadable, option: '' });
  }
  const signer = keys.find((key) => isSignedBy(key, proof.timestamp, proof.signed_timestamp));
  if (signer) return signer;
  throw vpError('REGISTRY_KEY_OTHER', { domain, keys: keys.map(abbreviateKey).join(', ').slice(0, 300), option: '' });
}

/** Also throws REGISTRY_TIMESTAMP_REFUSED for a timestamp that was used before. */
async function verifyProof(context: RegistryContext, proof: RegistryDomainProof): Promise<RegistryToken> {
  const { database, clock, random, settings, hashKey, logEvent } = context;
  const domain = requireAllowedDomain(context, proof.domain);
  const signedAtMs = parseTimestamp(context, proof.timestamp);
  const key = await findSigner(context, domain, proof);
  const nowMs = clock.nowMs();
  // By key and time, not by domain: the signature names neither the registry nor the domain.
  const hash = createHash('sha256').update(`${key.algorithm} ${key.text} ${signedAtMs}`).digest('hex');
  const secret = registryTokenPrefix + random.token(32);
  const expiresAtMs = nowMs + settings.tokenLifetimeMs;
  await database.write((sql) => {
    const usedProof = { hash, expiresAtMs: signedAtMs + 2 * settings.maxClockDifferenceMs, nowMs };
    if (!consumeRegistryProof(sql, usedProof))
      throw vpError('REGISTRY_TIMESTAMP_REFUSED', { problem: 'it was used before; each timestamp is accepted once' });
    insertRegistryToken(sql, { hash: hashBearer(secret, hashKey), domain, expiresAtMs, nowMs });
  });
  logEvent({ event: 'registry_domain_proven', level: 'info', domain, key: abbreviateKey(key) });
  return { registry_token: secret, expires_at: Math.floor(expiresAtMs / 1000) };
}

/** Exchanges a proof for a token; logs refusals as security events. */
export async function exchangeProof(
  context: RegistryContext,
  proof: RegistryDomainProof,
  address: string,
): Promise<RegistryToken> {
  try {
    return await verifyProof(context, proof);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'INTERNAL';
    const domain = parseDomain(proof.domain) ?? 'none';
    context.logEvent({ event: 'registry_proof_refused', level: 'warn', domain, code, address });
    throw error;
  }
}

/** The domain of a token. Throws REGISTRY_TOKEN_INVALID, REGISTRY_DOMAIN_CLOSED. */
export async function requireTokenDomain(context: RegistryContext, token: string | undefined): Promise<string> {
  const { database, hashKey, clock } = context;
  const isRegistryToken = token?.startsWith(registryTokenPrefix) === true && token.length < 100;
  const hash = hashBearer(token ?? '', hashKey);
  const domain = isRegistryToken
    ? await database.read((sql) => findRegistryTokenDomain(sql, hash, clock.nowMs()))
    : undefined;
  if (domain === undefined) throw vpError('REGISTRY_TOKEN_INVALID', {});
  return requireAllowedDomain(context, domain);
}

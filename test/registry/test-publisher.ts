/** A publisher: a domain with its key in a name server. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { RegistryDomainProof } from '../../src/contract/registry/registry-api.ts';
import { formatProofRecord } from '../../src/registry/dns-proof/proof-record.ts';
import { exportPublicKey, type SignatureAlgorithm, signText } from '../../src/registry/dns-proof/signature.ts';
import type { TestNameServer } from './name-server.ts';

export type TestPublisher = {
  readonly key: KeyObject;
  readonly record: string;
  /** A proof for a time. */
  proof(atMs: number, changes?: Partial<RegistryDomainProof>): RegistryDomainProof;
};

/** Creates a key; `server` gets a record for it in addition to those that the domain has. */
export function createTestPublisher(
  domain: string,
  server?: TestNameServer,
  algorithm: SignatureAlgorithm = 'ed25519',
): TestPublisher {
  const { privateKey: key } =
    algorithm === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const record = formatProofRecord(exportPublicKey(key, algorithm));
  server?.records.set(domain, [...(server.records.get(domain) ?? []), [record]]);
  return {
    key,
    record,
    proof(atMs, changes = {}) {
      const timestamp = changes.timestamp ?? new Date(atMs).toISOString();
      return { domain, timestamp, signed_timestamp: signText(key, algorithm, timestamp), ...changes };
    },
  };
}

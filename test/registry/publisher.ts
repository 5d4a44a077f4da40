/** A publisher of a test: a domain with its key in a name server. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { RegistryProof } from '../../src/contract/registry-api.ts';
import { recordOf } from '../../src/registry/proof-record.ts';
import { type Algorithm, publicKeyOf, signed } from '../../src/registry/signature.ts';
import type { NameServer } from './name-server.ts';

/** Signs for one domain. */
export type Publisher = {
  readonly key: KeyObject;
  readonly record: string;
  /** A proof of a moment. */
  proof(atMs: number, changes?: Partial<RegistryProof>): RegistryProof;
};

/** A new key; `server` shows it for the domain besides what it shows already. */
export function publisher(domain: string, server?: NameServer, algorithm: Algorithm = 'ed25519'): Publisher {
  const { privateKey: key } =
    algorithm === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const record = recordOf(publicKeyOf(key, algorithm));
  server?.records.set(domain, [...(server.records.get(domain) ?? []), [record]]);
  return {
    key,
    record,
    proof(atMs, changes = {}) {
      const timestamp = changes.timestamp ?? new Date(atMs).toISOString();
      return { domain, timestamp, signed_timestamp: signed(key, algorithm, timestamp), ...changes };
    },
  };
}

/** What the replicas of a control plane derive from their master key, which is the same for all. */
import { hkdfSync } from 'node:crypto';

const derivedBytes = 32;

function derive(masterKey: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', masterKey, '', purpose, derivedBytes));
}

/** Signs requests that one replica forwards to another. */
export function deriveHopKey(masterKey: Uint8Array): Uint8Array {
  return derive(masterKey, 'requests between replicas');
}

/** Tells whether two replicas have the same master key, and nothing about it. */
export function createKeyFingerprint(masterKey: Uint8Array): string {
  return Buffer.from(derive(masterKey, 'fingerprint of the master key')).toString('hex').slice(0, 32);
}

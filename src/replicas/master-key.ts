/** The master key of a replica, which must be that of all others. */
import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import type { Random } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import { ensureKeyFolder } from '../secrets/key-file.ts';
import { loadMasterKey } from '../secrets/master-key.ts';
import { type ElectionClient, readStoreKey } from '../store/postgres/election.ts';

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

/** `variable` is the value of VP_MASTER_KEY. */
export type MasterKeyLocation = { readonly folder: string; readonly variable: string | undefined };

/**
 * The master key; a new store takes the first one, which is created where there is none. Throws REPLICA_KEY_MISSING,
 * REPLICA_KEY_DIFFERENT, STORE_KEY_*.
 */
export async function openReplicaKey(
  client: ElectionClient,
  { folder, variable }: MasterKeyLocation,
  random: Random,
): Promise<Uint8Array> {
  const { fingerprint, isNew } = await readStoreKey(client);
  const mayCreate = isNew && fingerprint === undefined;
  const file = join(folder, 'master.key');
  ensureKeyFolder(file);
  const masterKey = loadMasterKey({ file, variable, mayCreate }, random);
  if (!masterKey) throw vpError('REPLICA_KEY_MISSING', { folder });
  const own = createKeyFingerprint(masterKey.bytes);
  const agreed = (await readStoreKey(client, own)).fingerprint;
  if (agreed !== undefined && agreed !== own) throw vpError('REPLICA_KEY_DIFFERENT', { folder });
  return masterKey.bytes;
}

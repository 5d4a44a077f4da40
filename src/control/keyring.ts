/** The store's keys. The master key unseals the data keys: one hashes bearer secrets, the other seals values. */
import { join } from 'node:path';
import type { Clock } from '../environment/clock.ts';
import { type Random, systemRandom } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import { loadMasterKey } from '../secrets/master-key.ts';
import { type SealingKey, seal, unseal } from '../secrets/sealing.ts';
import { type DataKeyRow, insertDataKey, listDataKeys } from '../store/control/keys.ts';
import type { Database } from '../store/database.ts';

/** Unsealed keys; they never leave the process. */
export type Keyring = { readonly tokenHashKey: Uint8Array; readonly dataKey: SealingKey };

export type KeyringOptions = {
  readonly folder: string;
  /** Value of `VP_MASTER_KEY`. */
  readonly variable: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
};

const dataKeys = { tokenHash: { id: 1, purpose: 'token-hash' }, data: { id: 2, purpose: 'data' } } as const;
type KeyName = (typeof dataKeys)[keyof typeof dataKeys];

function formatSealContext(key: { id: number; purpose: string }): string {
  return `data_keys/sealed/${key.id}/${key.purpose}`;
}

async function createDataKey(
  database: Database,
  masterKey: SealingKey,
  key: KeyName,
  { random, clock }: KeyringOptions,
): Promise<Uint8Array> {
  const bytes = random.bytes(32);
  const sealed = seal(masterKey, formatSealContext(key), bytes, random);
  await database.write((sql) => insertDataKey(sql, { ...key, sealed }, clock.nowMs()));
  return bytes;
}

function unsealDataKey(masterKey: SealingKey, row: DataKeyRow, folder: string): Uint8Array {
  const bytes = unseal(masterKey, formatSealContext(row), row.sealed);
  if (!bytes) throw vpError('STORE_KEY_WRONG', { folder });
  return bytes;
}

/** For a backup before it is restored. Throws BACKUP_KEY_MISSING, BACKUP_KEY_WRONG and what {@link loadMasterKey} throws. */
export async function assertMasterKeyFits(
  database: Database,
  source: { readonly file: string; readonly variable: string | undefined },
): Promise<void> {
  const rows = await database.read(listDataKeys);
  if (rows.length === 0) return;
  const masterKey = loadMasterKey({ ...source, mayCreate: false }, systemRandom);
  if (!masterKey) throw vpError('BACKUP_KEY_MISSING', { file: source.file });
  const name = source.variable ? 'VP_MASTER_KEY' : source.file;
  for (const row of rows)
    if (!unseal(masterKey, formatSealContext(row), row.sealed)) throw vpError('BACKUP_KEY_WRONG', { source: name });
}

/**
 * Opens the keys of a store, or creates them for a new one. Throws STORE_KEY_MISSING, STORE_KEY_WRONG, STORE_KEY_EXPOSED.
 */
export async function openKeyring(database: Database, options: KeyringOptions): Promise<Keyring> {
  const rows = await database.read(listDataKeys);
  const file = join(options.folder, 'master.key');
  const source = { file, variable: options.variable, mayCreate: rows.length === 0 };
  const masterKey = loadMasterKey(source, options.random);
  if (!masterKey) throw vpError('STORE_KEY_MISSING', { folder: options.folder });
  const openDataKey = async (key: KeyName): Promise<Uint8Array> => {
    const row = rows.find(({ purpose }) => purpose === key.purpose);
    return row ? unsealDataKey(masterKey, row, options.folder) : createDataKey(database, masterKey, key, options);
  };
  const [tokenHashKey, bytes] = [await openDataKey(dataKeys.tokenHash), await openDataKey(dataKeys.data)];
  return { tokenHashKey, dataKey: { id: dataKeys.data.id, bytes } };
}

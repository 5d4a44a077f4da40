/** The store's keys: the master key opens the data keys, one that bearer secrets are hashed with and one that seals values. */
import { join } from 'node:path';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import { masterKey } from '../secrets/master-key.ts';
import { type SealingKey, seal, unseal } from '../secrets/sealing.ts';
import { type DataKeyRow, insertDataKey, listDataKeys } from '../store/control/keys.ts';
import type { Database } from '../store/database.ts';

/** Opened keys; they never leave the process. */
export type Keyring = { readonly tokenHashKey: Uint8Array; readonly dataKey: SealingKey };

/** Where the master key is looked for. */
export type KeyringOptions = {
  readonly folder: string;
  /** Value of `VP_MASTER_KEY`. */
  readonly variable: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
};

const keyOf = { tokenHash: { id: 1, purpose: 'token-hash' }, data: { id: 2, purpose: 'data' } } as const;
type KeyName = (typeof keyOf)[keyof typeof keyOf];

function placeOf(key: { id: number; purpose: string }): string {
  return `data_keys/sealed/${key.id}/${key.purpose}`;
}

async function makeKey(
  database: Database,
  master: SealingKey,
  key: KeyName,
  { random, clock }: KeyringOptions,
): Promise<Uint8Array> {
  const bytes = random.bytes(32);
  const sealed = seal(master, placeOf(key), bytes, random);
  await database.write((sql) => insertDataKey(sql, { ...key, sealed }, clock.nowMs()));
  return bytes;
}

function openKey(master: SealingKey, row: DataKeyRow, folder: string): Uint8Array {
  const bytes = unseal(master, placeOf(row), row.sealed);
  if (!bytes) throw vpError('STORE_KEY_WRONG', { folder });
  return bytes;
}

/** Opens the keys of a store, or makes them for a new one. Throws STORE_KEY_MISSING, STORE_KEY_WRONG, STORE_KEY_EXPOSED. */
export async function openKeyring(database: Database, options: KeyringOptions): Promise<Keyring> {
  const rows = await database.read(listDataKeys);
  const file = join(options.folder, 'master.key');
  const source = { file, variable: options.variable, mayCreate: rows.length === 0 };
  const master = masterKey(source, options.random);
  if (!master) throw vpError('STORE_KEY_MISSING', { folder: options.folder });
  const bytesOf = async (key: KeyName): Promise<Uint8Array> => {
    const row = rows.find(({ purpose }) => purpose === key.purpose);
    return row ? openKey(master, row, options.folder) : makeKey(database, master, key, options);
  };
  const [tokenHashKey, bytes] = [await bytesOf(keyOf.tokenHash), await bytesOf(keyOf.data)];
  return { tokenHashKey, dataKey: { id: keyOf.data.id, bytes } };
}

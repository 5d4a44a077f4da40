/** The store's keys: the master key opens the data keys; the token-hash key is the one that bearer secrets are hashed with. */
import { join } from 'node:path';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import { masterKey } from '../secrets/master-key.ts';
import { type SealingKey, seal, unseal } from '../secrets/sealing.ts';
import { type DataKeyRow, insertDataKey, listDataKeys } from '../store/control/keys.ts';
import type { Database } from '../store/database.ts';

/** Opened keys; they never leave the process. */
export type Keyring = { readonly tokenHashKey: Uint8Array };

/** Where the master key is looked for. */
export type KeyringOptions = {
  readonly folder: string;
  /** Value of `VP_MASTER_KEY`. */
  readonly variable: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
};

const tokenHash = 'token-hash';

function placeOf(key: { id: number; purpose: string }): string {
  return `data_keys/sealed/${key.id}/${key.purpose}`;
}

async function makeTokenHashKey(database: Database, master: SealingKey, options: KeyringOptions): Promise<Uint8Array> {
  const key = { id: 1, purpose: tokenHash };
  const bytes = options.random.bytes(32);
  const sealed = seal(master, placeOf(key), bytes, options.random);
  await database.write((sql) => insertDataKey(sql, { ...key, sealed }, options.clock.nowMs()));
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
  const row = rows.find(({ purpose }) => purpose === tokenHash);
  if (row) return { tokenHashKey: openKey(master, row, options.folder) };
  return { tokenHashKey: await makeTokenHashKey(database, master, options) };
}

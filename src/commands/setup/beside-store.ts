/** Links that are made in the store of a control plane, also beside one that runs: it looks them up there. */
import { existsSync } from 'node:fs';
import { openKeyring } from '../../control/keyring.ts';
import type { Environment } from '../../environment/environment.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { keptAddress } from '../../store/control/identity-links.ts';
import { controlStoreFile } from '../../store/control/open.ts';
import { controlStoreKind } from '../../store/control/schema.ts';
import { type Database, openDatabase } from '../../store/database.ts';

/** What making a secret takes. */
export type BesideStore = {
  readonly database: Database;
  readonly tokenHashKey: Uint8Array;
  readonly random: Random;
  readonly nowMs: number;
};

/** Makes a secret in the store of `folder`, and the link with it. Throws STORE_ABSENT, STORE_*, and what `make` throws. */
export async function linkBesideStore(
  { clock, random, variables }: Environment,
  folder: string,
  make: (parts: BesideStore) => Promise<string>,
  urlOf: (address: string, secret: string) => string,
): Promise<string> {
  const file = controlStoreFile(folder);
  if (!existsSync(file)) throw vpError('STORE_ABSENT', { file });
  const database = openDatabase({ file, kind: controlStoreKind });
  try {
    const { tokenHashKey } = await openKeyring(database, { folder, variable: variables.VP_MASTER_KEY, clock, random });
    const secret = await make({ database, tokenHashKey, random, nowMs: clock.nowMs() });
    return urlOf((await database.read(keptAddress)) ?? 'http://127.0.0.1:7700', secret);
  } finally {
    await database.close();
  }
}

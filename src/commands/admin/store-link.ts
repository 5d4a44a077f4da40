/** Creates links in the store of a control plane, which may be running: it looks them up there. */
import { existsSync } from 'node:fs';
import { openKeyring } from '../../control/keyring.ts';
import type { Environment } from '../../environment/environment.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { getControlStoreFile, openControlDatabase } from '../../store/control/control-store.ts';
import { findPublicAddress } from '../../store/control/identity/links.ts';
import type { Database } from '../../store/database.ts';
import { assertNoRestorePlan } from '../../store/restore-plan.ts';

export type LinkDependencies = {
  readonly database: Database;
  readonly tokenHashKey: Uint8Array;
  readonly random: Random;
  readonly nowMs: number;
};

/** Creates a secret in the store of `folder`, and the link with it. Throws STORE_ABSENT, STORE_*, and what `createSecret` throws. */
export async function createLinkInStore(
  { clock, random, variables, pid }: Environment,
  folder: string,
  createSecret: (parts: LinkDependencies) => Promise<string>,
  buildUrl: (address: string, secret: string) => string,
): Promise<string> {
  const file = getControlStoreFile(folder);
  if (!existsSync(file)) throw vpError('STORE_ABSENT', { file });
  assertNoRestorePlan(folder);
  const database = openControlDatabase(file, { role: 'guest', pid });
  try {
    const { tokenHashKey } = await openKeyring(database, { folder, variable: variables.VP_MASTER_KEY, clock, random });
    const secret = await createSecret({ database, tokenHashKey, random, nowMs: clock.nowMs() });
    return buildUrl((await database.read(findPublicAddress)) ?? 'http://127.0.0.1:7700', secret);
  } finally {
    await database.close();
  }
}

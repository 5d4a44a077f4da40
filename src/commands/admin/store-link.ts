/** Creates links in the store of a control plane, which may be running: it looks them up there. */
import { existsSync } from 'node:fs';
import { openKeyring } from '../../control/keyring.ts';
import type { Environment } from '../../environment/environment.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { getControlStoreFile, openControlDatabase } from '../../store/control/control-store.ts';
import { findPublicAddress } from '../../store/control/identity/links.ts';
import { readDatabaseStores } from '../../store/copy/move-stores.ts';
import type { Database } from '../../store/database.ts';
import type { PostgresSettings } from '../../store/postgres/connection-settings.ts';
import { createRepeatableRandom } from '../../store/postgres/recording.ts';
import { openPostgresStores } from '../../store/postgres/stores.ts';
import { assertNoRestorePlan } from '../../store/restore-plan.ts';

export type LinkDependencies = {
  readonly database: Database;
  readonly tokenHashKey: Uint8Array;
  readonly random: Random;
  readonly nowMs: number;
};

type Link = {
  readonly createSecret: (parts: LinkDependencies) => Promise<string>;
  readonly buildUrl: (address: string, secret: string) => string;
};

/**
 * Creates a secret in the store of `folder`, or in `settings`' database (with the master key of `folder`), and the link with it.
 * Throws STORE_ABSENT, STORE_*, and what `createSecret` throws.
 */
export async function createLinkInStore(
  environment: Environment,
  { folder, settings }: { readonly folder: string; readonly settings: PostgresSettings | undefined },
  link: Link,
): Promise<string> {
  if (settings) return await createLinkInDatabase(environment, folder, settings, link);
  const file = getControlStoreFile(folder);
  if (!existsSync(file)) throw vpError('STORE_ABSENT', { file });
  assertNoRestorePlan(folder);
  const database = openControlDatabase(file, { role: 'guest', pid: environment.pid });
  try {
    return await createLink(environment, folder, database, link);
  } finally {
    await database.close();
  }
}

async function createLinkInDatabase(
  environment: Environment,
  folder: string,
  settings: PostgresSettings,
  link: Link,
): Promise<string> {
  const { clock } = environment;
  // Opening brings a store to this version, which is not for a command beside it.
  await readDatabaseStores({ settings, clock }, async () => undefined);
  const stores = await openPostgresStores({ settings, clock, hints: { kind: 'announce' } });
  const random = createRepeatableRandom(environment.random);
  try {
    return await createLink({ ...environment, random }, folder, stores.control.database, link);
  } finally {
    await Promise.all([stores.control.close(), stores.audit.close(), stores.memory.close()]);
    await stores.close();
  }
}

async function createLink(
  { clock, random, variables }: Environment,
  folder: string,
  database: Database,
  { createSecret, buildUrl }: Link,
): Promise<string> {
  const { tokenHashKey } = await openKeyring(database, { folder, variable: variables.VP_MASTER_KEY, clock, random });
  const secret = await createSecret({ database, tokenHashKey, random, nowMs: clock.nowMs() });
  return buildUrl((await database.read(findPublicAddress)) ?? 'http://127.0.0.1:7700', secret);
}

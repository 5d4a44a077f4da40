/** The setup link, which creates the first owner of a control plane. */
import { join } from 'node:path';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { hashBearer } from '../../secrets/bearer.ts';
import { isValidSetupLink, replaceSetupLink } from '../../store/control/identity/links.ts';
import { countPlatformOwners } from '../../store/control/identity/people.ts';
import type { Database } from '../../store/database.ts';
import { defaultIdentitySettings } from '../settings.ts';

/** What creating a link needs; the control plane may be running or stopped. */
export type SetupLinkOptions = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly tokenHashKey: Uint8Array;
  readonly random: Random;
  readonly nowMs: number;
  readonly ttlMs?: number;
};

/** True until there is an owner. */
export async function isSetupNeeded({ database }: Pick<SetupLinkOptions, 'database'>): Promise<boolean> {
  return (await database.read(countPlatformOwners)) === 0;
}

/** Creates a new link's secret; an earlier link becomes invalid. Throws SETUP_DONE. */
export async function createSetupSecret({
  database,
  tokenHashKey,
  random,
  nowMs,
  ttlMs,
}: SetupLinkOptions): Promise<string> {
  const secret = random.token(32);
  const expiresAtMs = nowMs + (ttlMs ?? defaultIdentitySettings.setupLinkMs);
  await database.write((sql) => {
    if (countPlatformOwners(sql) > 0) throw vpError('SETUP_DONE', {});
    replaceSetupLink(sql, hashBearer(secret, tokenHashKey), expiresAtMs);
  });
  return secret;
}

/** False when the link was replaced, was used or has expired. */
export function isSetupSecretValid(
  { database, tokenHashKey, nowMs }: Pick<SetupLinkOptions, 'database' | 'tokenHashKey' | 'nowMs'>,
  secret: string,
): Promise<boolean> {
  return database.read((sql) => isValidSetupLink(sql, hashBearer(secret, tokenHashKey), nowMs));
}

/** The file that holds the link, for when the printed output is not read. */
export function getSetupLinkPath(folder: string): string {
  return join(folder, 'setup-link.txt');
}

/** The link. Its secret is in the fragment, which browsers do not send. */
export function buildSetupUrl(publicUrl: string, secret: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/setup#${secret}`;
}

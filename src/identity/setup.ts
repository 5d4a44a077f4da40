/** The setup link: how the first owner of a control plane comes to be. */
import { join } from 'node:path';
import type { Random } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import { bearerHash } from '../secrets/bearer.ts';
import { replaceSetupLink } from '../store/control/identity-links.ts';
import { countOwners } from '../store/control/people.ts';
import type { Database } from '../store/database.ts';
import { defaultIdentitySettings } from './settings.ts';

/** What a link is made with; also without a running control plane. */
export type SetupParts = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly tokenHashKey: Uint8Array;
  readonly random: Random;
  readonly nowMs: number;
  readonly lifeMs?: number;
};

/** True until somebody is owner. */
export async function isSetupNeeded({ database }: Pick<SetupParts, 'database'>): Promise<boolean> {
  return (await database.read(countOwners)) === 0;
}

/** Makes a new link's secret; an earlier link ends. Throws SETUP_DONE. */
export async function makeSetupSecret({ database, tokenHashKey, random, nowMs, lifeMs }: SetupParts): Promise<string> {
  const secret = random.token(32);
  const expiresAtMs = nowMs + (lifeMs ?? defaultIdentitySettings.setupLinkMs);
  await database.write((sql) => {
    if (countOwners(sql) > 0) throw vpError('SETUP_DONE', {});
    replaceSetupLink(sql, bearerHash(secret, tokenHashKey), expiresAtMs);
  });
  return secret;
}

/** Where the link waits when nobody reads what is printed. */
export function setupLinkFile(folder: string): string {
  return join(folder, 'setup-link.txt');
}

/** The link: its secret stands behind `#`, which browsers send to nobody. */
export function setupUrl(publicUrl: string, secret: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/setup#${secret}`;
}

import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { bearerHash } from '../secrets/bearer.ts';
import type { SealingKey } from '../secrets/sealing.ts';
import type { Database } from '../store/database.ts';
import type { Attempts } from './attempts.ts';
import type { Ends } from './ends.ts';
import type { Passwords } from './passwords.ts';
import type { PersonEnds } from './person-ends.ts';
import type { IdentitySettings } from './settings.ts';

/** What is told of security: `warn` for what should not happen. Fields never hold a secret. */
export type SecurityEvent = {
  readonly event: string;
  readonly level: 'info' | 'warn';
  readonly [field: string]: string | number | undefined;
};

/** Opened keys of the store: one that secrets are hashed with, one that seals. */
export type IdentityKeys = { readonly tokenHashKey: Uint8Array; readonly dataKey: SealingKey };

/** What every part of identity works with. */
export type IdentityContext = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly keys: IdentityKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: IdentitySettings;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  readonly ends: Ends;
  readonly personEnds: PersonEnds;
  readonly tell: (event: SecurityEvent) => void;
  /** Called when the first owner has been made. */
  readonly onFirstOwner: () => void;
};

/** How a secret is stored and looked up. */
export function hashOf({ keys }: Pick<IdentityContext, 'keys'>, secret: string): string {
  return bearerHash(secret, keys.tokenHashKey);
}

/** A new id for a row: not secret, not guessable. */
export function newId({ random }: Pick<IdentityContext, 'random'>): string {
  return random.token(12);
}

/** A new secret of 256 bits. */
export function newSecret({ random }: Pick<IdentityContext, 'random'>): string {
  return random.token(32);
}

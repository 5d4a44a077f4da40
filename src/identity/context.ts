import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { hashBearer } from '../secrets/bearer.ts';
import type { SealingKey } from '../secrets/sealing.ts';
import type { CachedReader } from '../store/cached-reader.ts';
import type { Database } from '../store/database.ts';
import type { PersonRemovalHooks } from './accounts/person-removal-hooks.ts';
import type { PasswordHasher } from './passwords/password-hasher.ts';
import type { RevocationEvents } from './revocation-events.ts';
import type { SignInLimiter } from './sessions/sign-in-limiter.ts';
import type { IdentitySettings } from './settings.ts';

/** An entry of the security log; `warn` for what should not happen. Fields never hold a secret. */
export type SecurityEvent = {
  readonly event: string;
  readonly level: 'info' | 'warn';
  readonly [field: string]: string | number | undefined;
};

/** Decrypted keys of the store: `tokenHashKey` hashes secrets, `dataKey` seals records. */
export type IdentityKeys = { readonly tokenHashKey: Uint8Array; readonly dataKey: SealingKey };

export type IdentityContext = {
  readonly database: Pick<Database, 'read' | 'write'>;
  /** A cache of what only identity writes: it is emptied after each of its writes, whatever their outcome, and when another process commits. */
  createCache<T>(): CachedReader<T>;
  readonly keys: IdentityKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: IdentitySettings;
  readonly passwordHasher: PasswordHasher;
  readonly signInLimiter: SignInLimiter;
  readonly revocationEvents: RevocationEvents;
  readonly personRemovalHooks: PersonRemovalHooks;
  readonly logSecurityEvent: (event: SecurityEvent) => void;
  /** Called after the first owner was created. */
  readonly onFirstOwner: () => void;
};

/** The keyed hash under which a secret is stored and looked up. */
export function hashSecret({ keys }: Pick<IdentityContext, 'keys'>, secret: string): string {
  return hashBearer(secret, keys.tokenHashKey);
}

/** A new id for a row: it is not secret, but cannot be guessed. */
export function createId({ random }: Pick<IdentityContext, 'random'>): string {
  return random.token(12);
}

/** A new secret of 256 bits. */
export function createSecret({ random }: Pick<IdentityContext, 'random'>): string {
  return random.token(32);
}

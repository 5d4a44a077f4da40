import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import type { GuardedFetch } from '../outbound/guarded-fetch.ts';
import type { NameResolver } from '../outbound/names/name-resolver.ts';
import type { SealingKey } from '../secrets/sealing.ts';
import type { Database } from '../store/database.ts';

export type NotificationSettings = {
  /** Commits are looked at together that long after the first. */
  readonly collectDelayMs: number;
  readonly attemptTimeoutMs: number;
  /** A message whose attempt ended with its process is sent again after this time; longer than an attempt takes. */
  readonly interruptedAfterMs: number;
  /** Between attempts. */
  readonly backoff: { readonly initialMs: number; readonly maxMs: number };
  /** A message that was not accepted for this long is given up. */
  readonly giveUpAfterMs: number;
  /** An executor that is away this long while runs wait for it counts as lost. */
  readonly awayAfterMs: number;
};

export const defaultNotificationSettings: NotificationSettings = {
  collectDelayMs: 300,
  attemptTimeoutMs: 10_000,
  interruptedAfterMs: 20_000,
  backoff: { initialMs: 5_000, maxMs: 3_600_000 },
  giveUpAfterMs: 86_400_000,
  awayAfterMs: 300_000,
};

/** Of an executor that is away now; `since` is when it was there for the last time, which tells one absence from the next. */
export type Absence = { readonly instance: string; readonly since: string };

export type NotificationContext = {
  readonly database: Database;
  readonly dataKey: SealingKey;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: NotificationSettings;
  /** Refuses addresses of private networks unless they are allowed, as does `resolver`. */
  readonly fetch: GuardedFetch['fetch'];
  readonly resolver: NameResolver;
  /** Receivers in private networks are allowed, and with them connections without TLS. */
  readonly allowPrivate: boolean;
  /** Trusted certificates; undefined for the usual ones. */
  readonly trustedRoots: readonly string[] | undefined;
  readonly listAway: () => Promise<readonly Absence[]>;
  /** URL of the control plane for people. */
  readonly address: () => string;
  readonly onError: (error: unknown) => void;
};

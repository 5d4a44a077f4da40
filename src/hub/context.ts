import type { HubCommand } from '../contract/hubs/hubs-api.ts';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import type { PersonCaller } from '../identity/caller.ts';
import type { IdentityKeys, SecurityEvent } from '../identity/context.ts';
import type { Database } from '../store/database.ts';
import type { RemovedSignIn } from './sign-in/sign-in-revoker.ts';

/** Sessions of clients of older revisions, and as many subscriptions of the newest one, unless the operator decides otherwise. */
export const defaultMaxSessions = 4000;

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Settings of hubs; times in milliseconds. */
export type HubSettings = {
  /** Valid tokens per person. */
  readonly maxTokens: number;
  /** Hubs that one person owns. */
  readonly maxHubs: number;
  /** Per hub. */
  readonly maxMembers: number;
  readonly maxConnections: number;
  /** A token is shown again only this long after its owner signed in. */
  readonly recentSignInMs: number;
  /** Minimum time between two recorded uses of a token. */
  readonly useRecordIntervalMs: number;
  /** How long expired tokens stay in lists. */
  readonly expiredRetentionMs: number;
  /** Invalid tokens per network before responses become 429. */
  readonly maxRefusalsPerMinute: number;
  /** Calls without a token, likewise; clients begin with one. */
  readonly maxAnonymousCallsPerMinute: number;
  /** Allows upstream servers on this machine and in private networks. */
  readonly allowPrivateUpstreams: boolean;
  /** The commands that connections may start, as people see them. */
  readonly stdioCommands: readonly HubCommand[];
  /** The operator's file with these commands. */
  readonly stdioCommandsFile: string | undefined;
};

export const defaultHubSettings: HubSettings = {
  maxTokens: 50,
  maxHubs: 50,
  maxMembers: 1000,
  maxConnections: 100,
  recentSignInMs: 10 * minuteMs,
  useRecordIntervalMs: minuteMs,
  expiredRetentionMs: 90 * dayMs,
  maxRefusalsPerMinute: 60,
  maxAnonymousCallsPerMinute: 600,
  allowPrivateUpstreams: false,
  stdioCommands: [],
  stdioCommandsFile: undefined,
};

/** Dependencies of the hub services. */
export type HubContext = {
  readonly database: Pick<Database, 'read' | 'write' | 'onCommit' | 'getForeignVersion'>;
  readonly keys: IdentityKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: HubSettings;
  readonly logSecurityEvent: (event: SecurityEvent) => void;
  /** When the person of a call last signed in; undefined if unknown. */
  readonly signedInAtMs: (caller: PersonCaller) => Promise<number | undefined>;
  /** Called with errors of background work. */
  readonly onError: (error: unknown) => void;
  /** Notifies listeners that members or connections of a hub changed. */
  readonly notifyHubChanged: (hubId: string) => void;
  /** Notifies listeners that a token was revoked, or its secret replaced. */
  readonly notifyTokenEnded: () => void;
  /** Notifies listeners that these sign-ins were removed. */
  readonly notifySignInsRemoved: (removed: readonly RemovedSignIn[]) => void;
};

/** An id that people may have to type: not secret, and never like a flag. */
export function createHubId({ random }: Pick<HubContext, 'random'>): string {
  return Buffer.from(random.bytes(8)).toString('hex');
}

import type { HubCommand } from '../contract/hub-api.ts';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import type { PersonCaller } from '../identity/caller.ts';
import type { IdentityKeys, SecurityEvent } from '../identity/context.ts';
import type { Database } from '../store/database.ts';
import type { EndedSignIn } from './upstream/revocations.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** How hubs behave; times in milliseconds. */
export type HubSettings = {
  /** Tokens of one person that hold. */
  readonly mostTokens: number;
  /** Hubs that one person owns. */
  readonly mostHubs: number;
  /** Of one hub. */
  readonly mostMembers: number;
  readonly mostConnections: number;
  /** A token is shown again only so long after its maker signed in. */
  readonly recentSignInMs: number;
  /** Uses are stored at most so often. */
  readonly touchMs: number;
  /** Expired tokens stay in lists for so long. */
  readonly forgetExpiredMs: number;
  /** Bad tokens from one network before they are answered with a wait. */
  readonly refusalsAMinute: number;
  /** Likewise calls without any token; clients begin with one. */
  readonly knocksAMinute: number;
  /** The operator's word that upstreams on this machine and in private networks are meant. */
  readonly allowPrivateUpstreams: boolean;
  /** The programs that connections may start, as people see them. */
  readonly stdioCommands: readonly HubCommand[];
  /** The operator's file that names them. */
  readonly stdioFile: string | undefined;
};

/** What holds unless said otherwise. */
export const defaultHubSettings: HubSettings = {
  mostTokens: 50,
  mostHubs: 50,
  mostMembers: 1000,
  mostConnections: 100,
  recentSignInMs: 10 * minuteMs,
  touchMs: minuteMs,
  forgetExpiredMs: 90 * dayMs,
  refusalsAMinute: 60,
  knocksAMinute: 600,
  allowPrivateUpstreams: false,
  stdioCommands: [],
  stdioFile: undefined,
};

/** What every part of a hub's records works with. */
export type HubContext = {
  readonly database: Pick<Database, 'read' | 'write' | 'onCommit'>;
  readonly keys: IdentityKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: HubSettings;
  /** Tells the log of security. */
  readonly tell: (event: SecurityEvent) => void;
  /** When the person behind a call proved who they are; undefined where nothing says so. */
  readonly signedInAtMs: (caller: PersonCaller) => Promise<number | undefined>;
  /** Told of faults in what nobody waits for. */
  readonly onFault: (fault: unknown) => void;
  /** Tells those who listen that members or connections of a hub are other ones now. */
  readonly changed: (hubId: string) => void;
  /** Tells those who listen that these sign-ins are kept no more. */
  readonly signInsEnded: (ended: readonly EndedSignIn[]) => void;
};

/** An id that people may have to type: not secret, and never like a flag. */
export function newHubId({ random }: Pick<HubContext, 'random'>): string {
  return Buffer.from(random.bytes(8)).toString('hex');
}

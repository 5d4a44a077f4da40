/** The records of hubs and the ways in, as one part of a control plane. */
import type { PersonEnds } from '../identity/person-ends.ts';
import type { Connections } from './connections.ts';
import { connectionsOf } from './connections.ts';
import { connectionBook } from './connections-book.ts';
import { type ConnectionRecords, connectionRecords } from './connections-draft.ts';
import { doorOf, type VerifyGrant } from './door.ts';
import { type Hubs, hubsOf } from './hubs.ts';
import { defaultHubSettings, type HubContext, type HubSettings } from './hubs-context.ts';
import { type Members, membersOf } from './members.ts';
import { personEndsIn } from './person-ends.ts';
import { type Tokens, tokensOf } from './tokens.ts';
import type { EndedSignIn } from './upstream/revocations.ts';
import type { ConnectionBook, HubDoor } from './words.ts';

/** All of it. */
export type HubService = {
  readonly hubs: Hubs;
  readonly members: Members;
  readonly tokens: Tokens;
  readonly connections: Connections;
  /** For connections in use. */
  readonly records: ConnectionRecords;
  /** For the gateway. */
  readonly book: ConnectionBook;
  readonly door: HubDoor;
  /** Tells of sign-ins to servers of connections that are kept no more; the function ends it. */
  onSignInsEnded(listener: (ended: readonly EndedSignIn[]) => void): () => void;
  /** Erases what has expired. */
  clean(): Promise<void>;
  close(): void;
};

/** What it is made of; see {@link HubContext}. */
export type HubServiceOptions = Omit<HubContext, 'settings' | 'changed' | 'signInsEnded'> & {
  readonly settings?: Partial<HubSettings>;
  /** The OAuth server's word on access tokens for a hub; none is let in without it. */
  readonly verifyGrant?: VerifyGrant;
  /** See `Identity`. */
  readonly beforePersonEnds: PersonEnds['listen'];
};

const cleanEveryMs = 3_600_000;

/** Listeners of one kind of news; one that throws keeps no other from hearing it. */
function createNews<T>(onFault: (fault: unknown) => void) {
  const listeners = new Set<(news: T) => void>();
  return {
    listen(listener: (news: T) => void): () => void {
      const own = (news: T): void => listener(news);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
    tell(news: T): void {
      for (const listener of listeners) {
        try {
          listener(news);
        } catch (fault) {
          onFault(fault);
        }
      }
    },
  };
}

/** Makes it; nothing is read yet. */
export function createHubService(options: HubServiceOptions): HubService {
  const changes = createNews<string>(options.onFault);
  const ends = createNews<readonly EndedSignIn[]>(options.onFault);
  const context: HubContext = {
    ...options,
    settings: { ...defaultHubSettings, ...options.settings },
    changed: changes.tell,
    signInsEnded: (ended) => void (ended.length > 0 && ends.tell(ended)),
  };
  const unlisten = options.beforePersonEnds(personEndsIn(context));
  const tokens = tokensOf(context);
  const clean = (): Promise<void> => tokens.clean();
  let stop = options.clock.after(cleanEveryMs, again);
  function again(): void {
    clean().catch(options.onFault);
    stop = options.clock.after(cleanEveryMs, again);
  }
  return {
    hubs: hubsOf(context),
    members: membersOf(context),
    tokens,
    connections: connectionsOf(context),
    records: connectionRecords(context),
    book: connectionBook(context, changes.listen),
    door: doorOf(context, options.verifyGrant),
    onSignInsEnded: ends.listen,
    clean,
    close() {
      unlisten();
      stop();
    },
  };
}

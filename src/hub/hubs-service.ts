/** The records of hubs and the ways in, as one part of a control plane. */
import type { Connections } from './connections.ts';
import { connectionsOf } from './connections.ts';
import { connectionBook } from './connections-book.ts';
import { type ConnectionRecords, connectionRecords } from './connections-draft.ts';
import { doorOf, type VerifyGrant } from './door.ts';
import { type Hubs, hubsOf } from './hubs.ts';
import { defaultHubSettings, type HubContext, type HubSettings } from './hubs-context.ts';
import { type Members, membersOf } from './members.ts';
import { type Tokens, tokensOf } from './tokens.ts';
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
  /** Erases what has expired. */
  clean(): Promise<void>;
  close(): void;
};

/** What it is made of; see {@link HubContext}. */
export type HubServiceOptions = Omit<HubContext, 'settings' | 'changed'> & {
  readonly settings?: Partial<HubSettings>;
  /** The OAuth server's word on access tokens for a hub; none is let in without it. */
  readonly verifyGrant?: VerifyGrant;
};

const cleanEveryMs = 3_600_000;

/** Listeners with the id of the hub that changed; one that throws keeps no other from hearing it. */
function createChanges(onFault: (fault: unknown) => void) {
  const listeners = new Set<(hubId: string) => void>();
  return {
    onChange(listener: (hubId: string) => void): () => void {
      const own = (hubId: string): void => listener(hubId);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
    changed(hubId: string): void {
      for (const listener of listeners) {
        try {
          listener(hubId);
        } catch (fault) {
          onFault(fault);
        }
      }
    },
  };
}

/** Makes it; nothing is read yet. */
export function createHubService(options: HubServiceOptions): HubService {
  const { onChange, changed } = createChanges(options.onFault);
  const context: HubContext = { ...options, settings: { ...defaultHubSettings, ...options.settings }, changed };
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
    book: connectionBook(context, onChange),
    door: doorOf(context, options.verifyGrant),
    clean,
    close: () => stop(),
  };
}

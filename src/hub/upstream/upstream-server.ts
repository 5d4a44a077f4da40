import type { UpstreamConnection } from '../connections/connection.ts';
import type { UpstreamTokenSource } from '../sign-in/token-source.ts';
import type { RootsSession } from './changed-roots.ts';
import type { ChangedList, WatchTarget } from './changes.ts';
import type { UpstreamLists } from './lists/upstream-lists.ts';
import type { UpstreamCallOptions } from './upstream-call.ts';

/** As the server describes itself. */
export type ServerInfo = {
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly protocolVersion: string | undefined;
  readonly instructions: string | undefined;
};

/** One member for each kind of item. */
export type ServerCapabilities = {
  readonly tools?: unknown;
  readonly prompts?: unknown;
  readonly resources?: unknown;
  readonly logging?: unknown;
};

/** The server of a connection, remote or in this process. */
export type UpstreamServer = {
  readonly connection: UpstreamConnection;
  readonly lists: UpstreamLists;
  readonly lastUsedMs: number;
  /** The tokens it is called with, so that they can be masked in its responses. */
  readonly tokenSource?: Pick<UpstreamTokenSource, 'sentTokens'> | undefined;
  /** Throws UPSTREAM_*, the server's own error, and the reason of `call.signal`. */
  send(method: string, params: Record<string, unknown>, call: UpstreamCallOptions): Promise<Record<string, unknown>>;
  /** Throws UPSTREAM_*. */
  getInfo(): Promise<ServerInfo>;
  /** Connects if necessary. Throws UPSTREAM_*. */
  capabilities(): Promise<ServerCapabilities>;
  /** What follows when the server reports a change: the next reader waits for the new list, and callers are notified. */
  invalidateList(list: ChangedList): void;
  /** Returns a function that stops watching. Throws UPSTREAM_*, the server's error. */
  watch(target: WatchTarget): Promise<() => Promise<void>>;
  /** Tells the server that the roots of a client have changed, where it has a session for this person and these capabilities. */
  announceRoots?(caller: Pick<UpstreamCallOptions, 'personId' | 'capabilities'>, session: RootsSession): void;
  /** Closes what serves persons who have not called for a while. */
  closeIdle?(): void;
  close(): Promise<void>;
};

export type UpstreamListener = {
  onChanged(list: ChangedList): void;
  onUpdated(uri: string): void;
  /** With the server's own id; other members may be missing where a report was missed. */
  onTaskStatus(params: Record<string, unknown>): void;
  /** A form at a URL, by the server's own id. */
  onElicitationComplete(params: Record<string, unknown>): void;
};

/** A server as hubs use it, wherever it runs. */
import type { Connection } from '../words.ts';
import type { UpstreamCall } from './call.ts';
import type { ChangedList } from './channel.ts';
import type { Grant } from './grants.ts';
import type { UpstreamLists } from './upstream-lists.ts';

/** What a server says of itself. */
export type ServerFacts = {
  readonly server: { readonly name: string; readonly version: string } | undefined;
  /** Of the protocol. */
  readonly revision: string | undefined;
  readonly instructions: string | undefined;
};

/** What a server can do: a member for each kind of thing that it offers. */
export type ServerAbilities = {
  readonly tools?: unknown;
  readonly prompts?: unknown;
  readonly resources?: unknown;
  readonly logging?: unknown;
};

/** The server of a connection. */
export type ConnectedServer = {
  readonly connection: Connection;
  readonly lists: UpstreamLists;
  readonly lastUsedMs: number;
  /** The sign-in that it is called with; a server that echoes must not tell its tokens to callers. */
  readonly grant?: Pick<Grant, 'tokensSent'> | undefined;
  /** Throws UPSTREAM_*, the server's own refusal as it came, and whatever `call.signal` was aborted with. */
  send(method: string, params: Record<string, unknown>, call: UpstreamCall): Promise<Record<string, unknown>>;
  /** Throws UPSTREAM_*. */
  about(): Promise<ServerFacts>;
  /** Connects where that is not known. Throws UPSTREAM_*. */
  capabilities(): Promise<ServerAbilities>;
  /** Hears of changes of a resource until the returned function is called. Throws UPSTREAM_*, the server's refusal. */
  watch(uri: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
};

/** What others hear of a server. */
export type UpstreamListener = {
  onChanged(list: ChangedList): void;
  onUpdated(uri: string): void;
};

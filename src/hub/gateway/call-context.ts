/** A request of a caller, and a call in it. */

import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { SentJson } from '../../json/sent-json.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { HeaderReader } from '../downstream/mcp-http.ts';
import type { TaskEra } from '../tasks/task-ids.ts';

/** A request after authentication. */
export type IncomingRequest = {
  readonly principal: HubPrincipal;
  readonly requestId?: string | undefined;
  readonly requestBytes: number;
  /** The arguments of a single call with their numbers as sent, if these would change; only for forwarding. */
  readonly exactArguments?: unknown;
  /** The same as the text that was sent, for a call that nobody had to approve. */
  readonly sentArguments?: SentJson | undefined;
  /** The headers of a request of the newest protocol era, which repeat members of the body. */
  readonly headers: HeaderReader;
  /** The caller as it is authenticated now; undefined if it no longer is. For calls that wait long. */
  readonly authenticate?: (() => Promise<HubPrincipal | undefined>) | undefined;
  /** The ids of calls that a handler has received. */
  readonly handledIds: Set<string | number>;
};

/** A call with everything that handlers need. */
export type CallContext = Omit<IncomingRequest, 'handledIds'> & {
  /** The era of the client's revision. */
  readonly era: TaskEra;
  readonly capabilities: ClientCapabilities;
  readonly signal: AbortSignal;
  readonly progressToken: string | number | undefined;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly logLevel: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  readonly requestState: string | undefined;
  /** Asks a client of an older era during the call; undefined where questions become part of the result. */
  readonly ask?: ((method: string, params: Record<string, unknown>) => Promise<Record<string, unknown>>) | undefined;
  /** Of the waiting definition that an owner tries; see `PolicyCall`. */
  readonly trialDigest?: string | undefined;
  /** For the call of a task whose approval was decided; `task` is what its client of 2025-11-25 wanted of it. */
  readonly approvedTask?: { readonly approvalId: string; readonly task: unknown } | undefined;
  notify(method: string, params: Record<string, unknown>): void;
};

const maxNameLength = 100;

export function truncateClientInfo({ name, version }: { name: string; version: string }): HubPrincipal['client'] {
  return { name: name.slice(0, maxNameLength), version: version.slice(0, maxNameLength) };
}

/** What the operator of a control plane decides about the servers behind its hubs. */
import type { UnreadLimits } from '../../hub/access/unread-responses.ts';
import type { OperatorCommands } from '../../hub/upstream/commands/operator-commands.ts';

export type UpstreamSettings = {
  readonly allowPrivate: boolean;
  /** Additional trusted certificates (PEM). */
  readonly extraRoots: readonly string[];
  readonly commands: OperatorCommands;
  readonly commandsFile?: string | undefined;
  /** Whether commands without an image may run, as the user of the control plane. */
  readonly unsafeStdio: boolean;
  readonly maxSessions?: number;
  /** Whether the servers of a hub connect when it is first used after a start. */
  readonly preparesConnections?: boolean;
  readonly unreadLimits?: UnreadLimits;
  /** How long a list, or the first call of a tool, waits for a server that has not listed its tools; 3 s by default. */
  readonly listTimeoutMs?: number;
};

/** Public servers only, and no commands. */
export const defaultUpstreamSettings: UpstreamSettings = {
  allowPrivate: false,
  extraRoots: [],
  commands: new Map(),
  unsafeStdio: false,
};

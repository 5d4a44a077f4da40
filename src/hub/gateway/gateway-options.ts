import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import type { FindStoredCaller } from '../access/stored-caller.ts';
import type { ApprovalGate } from '../approvals/approval-gate.ts';
import type { ApprovalTools } from '../approvals/approval-tools.ts';
import type { AuditSink } from '../audit/audit-entry.ts';
import type { ConnectionRepository } from '../connections/connection.ts';
import type { CallPolicy } from '../policy/call-policy.ts';
import type { HeldTasks } from '../tasks/held/held-tasks.ts';
import type { ListRecentCalls } from '../tool-search/tool-use.ts';
import type { UpstreamDependencies } from '../upstream/remote-upstream.ts';

export type GatewayOptions = {
  readonly connectionRepository: ConnectionRepository;
  readonly policy: CallPolicy;
  readonly audit: AuditSink;
  /** Without it, calls that need an approval are refused. */
  readonly approvals?: ApprovalGate | undefined;
  /** Without them, approvers decide elsewhere. */
  readonly approvalTools?: ApprovalTools | undefined;
  /** Without them, clients wait themselves for approvals. */
  readonly heldTasks?: HeldTasks | undefined;
  readonly upstream: Omit<UpstreamDependencies, 'getHubMark'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  /** For what must stay valid over restarts: ids of tasks. */
  readonly secret: Uint8Array;
  /** How long a list waits for connections that do not respond. */
  readonly listTimeoutMs: number;
  /** Connects the servers of a hub when it is first used; without it each when it is called. */
  readonly preparesConnections?: boolean;
  /** Sessions of older revisions, and subscriptions of the newest one; 4,000 by default. */
  readonly maxSessions?: number | undefined;
  /** The newest calls of a person; tools that the caller has used are found first. Without it, use does not count. */
  readonly listRecentCalls?: ListRecentCalls | undefined;
  /** Without it, who watches a resource keeps the role with which it began. */
  readonly findStoredCaller?: FindStoredCaller | undefined;
  readonly onError: (error: unknown) => void;
};

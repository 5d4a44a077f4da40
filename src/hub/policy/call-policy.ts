/** What the gateway asks the policy of a hub, and what it decides. */
import type { ApprovalRule } from '../../contract/hubs/policy-api.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { ItemKind, UpstreamConnection, UpstreamItem, UpstreamTool } from '../connections/connection.ts';

/** JSON pointers of arguments to hide, or only the digest. */
export type Redaction = { readonly keep: boolean; readonly hide: readonly string[] };
export const digestOnly: Redaction = { keep: false, hide: [] };
export const completeArguments: Redaction = { keep: true, hide: [] };

export type CallLimits = { readonly timeoutMs: number; readonly maxResponseBytes: number };

/** How much may be open at once, of each person and of the whole hub. */
export type ListenerQuotaLimits = Readonly<
  Record<'streams' | 'resources', { readonly perPerson: number; readonly perHub: number }>
>;

/** Why the policy refuses something, and what to do about it. */
export type PolicyRefusal = {
  readonly reason: string;
  readonly cure: string;
  /** Such as the error code; for programs. */
  readonly details?: Readonly<Record<string, unknown>>;
};

/** What an allowed call uses of the budgets of its hub. Exactly one of them is called, once. */
export type BudgetUse = {
  /** The call was sent, and has ended. Returns a budget of the caller that is near its end, if there is one. */
  charge(bytes: number): BudgetWarning | undefined;
  /** The call was not sent. */
  cancel(): void;
};

/** For the caller of a call that was sent. */
export type BudgetWarning = {
  /** In `budgets` of the policy. */
  readonly position: number;
  readonly per: string;
  readonly period: string;
  readonly used_percent: number;
  readonly resets_at: string;
};

/** `release` is called once when an allowed call has ended. */
export type Decision =
  | {
      readonly allowed: true;
      readonly redact: Redaction;
      readonly limits?: CallLimits;
      readonly release?: () => void;
      /** Undefined without budgets. */
      readonly budget?: BudgetUse | undefined;
      readonly recordedParts?: RecordedParts;
      /** Decides what a client of an older era answers during the call; `question` is the method of the server's request. */
      readonly decideAnswer?: DecideAnswer;
      /** Somebody approved the call as it was shown to them. */
      readonly isApproved?: boolean;
    }
  | ({
      readonly allowed: false;
      readonly redact?: Redaction;
      readonly recordedParts?: RecordedParts;
      /** The call is refused unless somebody approves it. Callers that do not know this member refuse the call. */
      readonly approval?: ApprovalRequirement;
      /** The error code, and the approval that the call waits for or was denied. */
      readonly details?: Readonly<Record<string, unknown>>;
      /** The result that describes the task as which the call waits; then the call is not refused. */
      readonly startedTask?: Record<string, unknown>;
    } & PolicyRefusal);

/** Where a hub has no policy for a method. */
export const unlimitedCall: Decision = { allowed: true, redact: completeArguments };

/** What an approval of a call depends on, and how the call goes on with one. */
export type ApprovalRequirement = {
  /** The rules that the call matches; there is one at least. */
  readonly rules: readonly ApprovalRule[];
  readonly policyRevision: number;
  /** Digest of the approved definition of the tool. */
  readonly pin: string;
  /** The decision for an approved call; the limits may still refuse it. */
  allow(): Decision;
};

/** How `_meta` and the answers of a call are recorded; those that are undefined are not. */
export type RecordedParts = { readonly meta?: Redaction | undefined; readonly answers?: Redaction | undefined };

/** `redact` is for the answer as the member `question` of an object. */
export type DecideAnswer = (question: string, answer: unknown) => AnswerDecision;
export type AnswerDecision = { readonly redact: Redaction; readonly refusal: PolicyRefusal | undefined };

/** `tool` is the server's own name. */
export type PolicyCall = {
  readonly principal: HubPrincipal;
  readonly connection: UpstreamConnection;
  readonly tool: string;
  /** The tool or prompt as its server lists it to this caller: others may be shown another. Undefined if that is not known. */
  readonly original?: UpstreamItem | undefined;
  readonly arguments: unknown;
  /** The arguments with their numbers as the server gets them, if these differ: rules and the audit must not see others. */
  readonly exactArguments?: unknown;
  /** Of the arguments as their server gets them, where they are sent on as the text that came. */
  readonly argumentBytes?: number | undefined;
  /** The arguments of the prompt, as rules check them, where they are other than `arguments`: those of a completion. */
  readonly ruleArguments?: Readonly<Record<string, unknown>> | undefined;
  /** The members of `_meta` that are forwarded. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Answers to questions of the server, by key; undefined if the call has none. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  /** The digest of a waiting definition with which an owner tries the tool, although it is not approved. */
  readonly trialDigest?: string | undefined;
  /** False for a resource that its server neither lists nor has a template for. */
  readonly isListed?: boolean;
  /** True for answers with which a call that was sent, and counted, continues. */
  readonly isContinuation?: boolean;
};

/** A prompt by its name, or a resource by its URI. */
export type ItemAccess = Pick<PolicyCall, 'principal' | 'connection' | 'tool' | 'original' | 'isListed'>;

/** The policy of a hub. A tool that `filterVisibleTools` never saw is refused, because its definition is unknown. */
export type CallPolicy = {
  decide(call: PolicyCall): Promise<Decision>;
  /** Decides, counts and limits a call of something else than a tool; `tool` is its name, for a resource its URI. */
  admit?(call: PolicyCall): Promise<Decision>;
  /** Decides a call at the memory service's own address. `definition` is that of this program, which needs no pin. */
  decideDirectMemory?(call: PolicyCall, definition: UpstreamTool | undefined): Promise<Decision>;
  /** The names of the memory service's tools that the caller may see at its own address. */
  filterDirectMemory?(
    principal: HubPrincipal,
    connection: UpstreamConnection,
    tools: readonly UpstreamTool[],
  ): Promise<ReadonlySet<string>>;
  /** Counts and limits a call of a tool of the hub itself, such as a search, which no rule denies. */
  limitHubTool?(principal: HubPrincipal, tool: string): Promise<Decision>;
  /** Decides, counts and limits a request about a task of a tool, whose arguments were decided when it started. */
  decideTask?(call: PolicyCall): Promise<Decision>;
  /** Like `decideTask`, without counting: for lists of tasks. */
  findTaskRefusal?(access: ItemAccess): Promise<PolicyRefusal | undefined>;
  /** Like `admit`, without counting: for subscriptions. */
  findAccessRefusal?(access: ItemAccess): Promise<PolicyRefusal | undefined>;
  /** Calls `listener` with the id of a hub whose policy was changed. Returns a function that stops it. */
  onChange?(listener: (hubId: string) => void): () => void;
  getListenerLimits?(hubId: string): Promise<ListenerQuotaLimits>;
  /** The rules of the hub that hold calls. */
  getApprovalRules?(hubId: string): Promise<readonly ApprovalRule[]>;
  /** Whether approvers may decide in a form of their MCP client. */
  offersClientApprovals?(hubId: string): Promise<boolean>;
  /** Whether the audit records lists and other messages that are not calls. */
  recordsLists?(hubId: string): Promise<boolean>;
  /** Pins a complete list of a connection: of its tools, prompts, resources or templates. */
  pinItems?(connection: UpstreamConnection, kind: ItemKind, items: readonly UpstreamItem[]): Promise<void>;
  /** Pins a complete list like `pinItems`, and returns those that the caller may see, by name, URI or URI template. */
  filterVisibleItems?(
    principal: HubPrincipal,
    connection: UpstreamConnection,
    kind: ItemKind,
    items: readonly UpstreamItem[],
  ): Promise<ReadonlySet<string>>;
  /**
   * Pins new tools of a connection, blocks changed ones, and returns the names of those that the caller may see. Call
   * it with every complete list of a server.
   */
  filterVisibleTools?(
    principal: HubPrincipal,
    connection: UpstreamConnection,
    tools: readonly UpstreamTool[],
  ): Promise<ReadonlySet<string>>;
};

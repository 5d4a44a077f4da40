/**
 * Types shared by the parts of a hub: principals, connections, policy decisions and audit entries.
 *
 * Length: the ports between the parts refer to each other, and are read together.
 */

import type { ConnectionProtocol, ToolListMode } from '../contract/hubs/hubs-api.ts';
import type { ApprovalRule } from '../contract/hubs/policy-api.ts';
import type { HubPath } from './protocol/hub-path.ts';

/** Ordered by permissions, highest first. */
export const hubRoles = ['owner', 'member', 'viewer'] as const;
export type HubRole = (typeof hubRoles)[number];

export type HubName = { readonly id: string; readonly slug: string };

/** How a caller was authenticated. */
export type HubAuthentication =
  | { readonly kind: 'token'; readonly tokenId: string; readonly tokenName: string }
  | {
      readonly kind: 'grant';
      readonly clientId: string;
      readonly clientName: string;
      /** The scopes that the person granted. */
      readonly scopes: readonly string[];
      /** Of the grant, which may end before its client calls again. */
      readonly credentialId?: string;
    }
  | { readonly kind: 'console' };

/** An authenticated caller in a hub, valid for one call. */
export type HubPrincipal = {
  readonly hub: HubName;
  readonly person: { readonly personId: string; readonly name: string };
  readonly role: HubRole;
  readonly via: HubAuthentication;
  /** As the client describes itself; undefined before it did. */
  readonly client: { readonly name: string; readonly version: string } | undefined;
  /** What the client lists; undefined is `all`. */
  readonly toolList?: ToolListMode;
  /** The hubs that the request has passed before this one; undefined for none. */
  readonly hubPath?: HubPath;
};

/** Why access is refused; the code is part of the response body. */
export type HubRefusal = {
  readonly kind: 'refused';
  readonly status: 401 | 403 | 429;
  readonly code:
    | 'missing_token'
    | 'invalid_token'
    | 'membership_required'
    | 'ERR_SCOPE_UNAVAILABLE'
    | 'insufficient_scope'
    | 'too_many_attempts';
  /** One sentence. */
  readonly message: string;
  readonly cure: string;
  /** Only with 429. */
  readonly retryAfterSeconds?: number;
  /** The scope to request, only with `insufficient_scope`. */
  readonly scope?: string;
};

export type AccessDecision = { readonly kind: 'in'; readonly principal: HubPrincipal } | HubRefusal;

/** Authenticates at the endpoints of hubs, with current memberships. Access is refused if they cannot be read. */
export type HubAuthenticator = {
  /** `/agent/mcp`: the token and its owner's memberships determine the hub. */
  agent(bearer: string | undefined, address: string): Promise<AccessDecision>;
  /** `/hub/<slug>/mcp`: a token of that hub, or an OAuth grant for it. */
  hub(slug: string, bearer: string | undefined, address: string): Promise<AccessDecision>;
  /** `/memory/hub/<slug>/mcp`: likewise; a grant for a hub's tools does not include its memory, nor the reverse. */
  memory(slug: string, bearer: string | undefined, address: string): Promise<AccessDecision>;
};

const connectionKinds = ['http', 'sse', 'stdio', 'memory'] as const;
/** Streamable HTTP, the older HTTP with SSE, a child process, or our own memory service. */
export type ConnectionKind = (typeof connectionKinds)[number];

/** The credential for the upstream server, without secrets; see {@link ConnectionSecrets}. */
export type ConnectionCredential =
  | { readonly kind: 'none' }
  | { readonly kind: 'header'; readonly header: string }
  | {
      readonly kind: 'oauth';
      /** One sign-in for the hub, or one per person. */
      readonly sharing: 'shared' | 'per_user';
      /** Undefined if the hub registers itself. */
      readonly clientId: string | undefined;
      readonly scope: string | undefined;
    };

/** Since the last attempt. */
const connectionStates = ['untried', 'connected', 'failing', 'needs_sign_in'] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** An upstream tool server of a hub. */
export type UpstreamConnection = {
  readonly id: string;
  readonly hubId: string;
  /** The prefix of its tools, `<name>__<tool>`: lowercase letters, digits and single hyphens, at most 24 characters. */
  readonly name: string;
  readonly kind: ConnectionKind;
  /** With `http` and `sse`. */
  readonly url: string | undefined;
  /** With `stdio`: a name in the operator's file. */
  readonly command: string | undefined;
  readonly credential: ConnectionCredential;
  /** The era in which the server is called; `auto`: the newest that it has. */
  readonly protocol: ConnectionProtocol;
  readonly enabled: boolean;
  readonly state: ConnectionState;
  /** Undefined after a successful call. */
  readonly lastError: string | undefined;
  /** Increases with each change; clients of an older revision have to reconnect. */
  readonly revision: number;
};

/** `personId` matters only for personal sign-ins. */
export type ConnectionSecrets = {
  /** Undefined unless the credential is a header. */
  header(connectionId: string): Promise<{ readonly name: string; readonly value: string } | undefined>;
  /** Undefined if the hub has no client secret. */
  clientSecret(connectionId: string): Promise<string | undefined>;
  /** The OAuth state of the gateway for this upstream (registration, tokens, verifier) as JSON text. */
  oauthState(connectionId: string, personId: string | undefined): Promise<string | undefined>;
  /**
   * Stores the state sealed; undefined removes it. Returns false without a change if the stored state is not the
   * expected one, or the person is not a member.
   */
  saveOauthState(
    connectionId: string,
    personId: string | undefined,
    state: string | undefined,
    expected: ExpectedOauthState,
  ): Promise<boolean>;
};

/** The state that was read, and the required revision of the connection. */
export type ExpectedOauthState = { readonly previous: string | undefined; readonly revision?: number | undefined };

/** The connections for the gateway. */
export type ConnectionRepository = {
  /** The enabled connections of a hub, by name. */
  listEnabled(hubId: string): Promise<readonly UpstreamConnection[]>;
  find(connectionId: string): Promise<UpstreamConnection | undefined>;
  /** The hub's connection to memory, also if it is switched off. */
  findMemory(hubId: string): Promise<UpstreamConnection | undefined>;
  /** Records the outcome of the last real call. */
  recordState(connectionId: string, state: ConnectionState, lastError: string | undefined): Promise<void>;
  /** Records what is wrong with the server's lists; undefined clears it. */
  recordWarning(connectionId: string, warning: string | undefined): Promise<void>;
  /** Calls `listener` with the hub's id after its connections or members changed; returns a function that stops it. */
  onChange(listener: (hubId: string) => void): () => void;
  readonly secrets: ConnectionSecrets;
};

/** The memory service as a connection: it gets the principal, and no token. */
export type MemoryPort = {
  /** Always the same array object. */
  listTools(): readonly (UpstreamTool & { readonly inputSchema: { readonly type: 'object' } })[];
  /** Undefined for an unknown tool. */
  callTool(principal: HubPrincipal, name: string, input: unknown): Promise<object | undefined>;
};

/** The id and the name that calls of memory at its own address have in a hub without a connection to it. */
export const builtInMemoryName = 'memory';

export const toolSeparator = '__';
/** Longer names break clients. */
export const maxToolNameLength = 64;

/** JSON pointers of arguments to hide, or only the digest. */
export type Redaction = { readonly keep: boolean; readonly hide: readonly string[] };

/** Limits of one call. */
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
      /** The call is refused unless somebody approves it. Whoever does not know this member refuses the call. */
      readonly approval?: ApprovalRequirement;
      /** The error code, and the approval that the call waits for or was denied. */
      readonly details?: Readonly<Record<string, unknown>>;
      /** The result that describes the task as which the call waits; then the call is not refused. */
      readonly startedTask?: Record<string, unknown>;
    } & PolicyRefusal);

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
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Answers to questions of the server, by key; undefined if the call has none. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  /** The digest of a waiting definition with which an owner tries the tool, although it is not approved. */
  readonly trialDigest?: string | undefined;
  /** False for a resource that its server neither lists nor has a template for. */
  readonly isListed?: boolean;
  /** True for answers with which a call that was sent, and counted, continues. */
  readonly isContinuation?: boolean;
};

/** An entry of a server's list. */
export type UpstreamItem = { readonly name: string; readonly [member: string]: unknown };
export type UpstreamTool = UpstreamItem;

export type ItemKind = 'tool' | 'prompt' | 'resource' | 'template';

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
  /** Pins the complete list of a connection's prompts, resources or templates. */
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

/**
 * Rows store the index: append new ones. `failed`: the server could not be reached or sent no valid response. `started`: the
 * call is about to be sent; `unknown`: the process ended before the outcome of a started call was recorded.
 */
export const auditOutcomes = [
  'ok',
  'tool_error',
  'failed',
  'denied',
  'cancelled',
  'timeout',
  'started',
  'unknown',
] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

export type AuditEntry = {
  readonly atMs: number;
  readonly principal: HubPrincipal;
  /** Such as `tools/call`. */
  readonly method: string;
  readonly connection: { readonly id: string; readonly name: string } | undefined;
  /** The server's own name of the tool, prompt or resource. */
  readonly tool: string | undefined;
  /** The original arguments; `redact` decides what is stored. */
  readonly arguments: unknown;
  readonly redact: Redaction;
  readonly outcome: AuditOutcome;
  /** A code or one sentence without secrets; undefined for `ok`. */
  readonly reason: string | undefined;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** As sent to the caller. */
  readonly requestId?: string | undefined;
  /** The entry `started` of this call, as {@link AuditSink.recordIntent} returned it. */
  readonly intentSeq?: number | undefined;
  /** What the row adds to budgets; undefined for the call and its bytes. */
  readonly counts?: 'nothing' | 'bytes' | undefined;
};

export type AuditSink = {
  /**
   * Call it before a call goes out: throws AUDIT_UNAVAILABLE if its row could not be written, and counts `entry` as
   * refused.
   */
  ready?(entry?: AuditEntry): void;
  /**
   * Only with intents: call it right before a call is sent, and give the result to the entry of its outcome. Resolves when
   * the row `started` is written, as `record` does; undefined if it could not be, and the call may be sent nevertheless.
   */
  recordIntent?: ((entry: AuditEntry) => Promise<number | undefined>) | undefined;
  /**
   * Resolves when the row is committed: the response may be sent then. Rejects with AUDIT_UNAVAILABLE: it must not be
   * sent.
   */
  record(entry: AuditEntry): Promise<void>;
};

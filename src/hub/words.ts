/** Words that the parts of a hub share: who calls, through which door, what a connection is, what is decided and kept of a call. */

/** What a member of a hub may do, most first. */
export const hubRoles = ['owner', 'member', 'viewer'] as const;
/** One of {@link hubRoles}. */
export type HubRole = (typeof hubRoles)[number];

/** A hub as its callers name it. */
export type HubName = { readonly id: string; readonly slug: string };

/** How a call came in. */
export type HubVia =
  | { readonly kind: 'token'; readonly tokenId: string; readonly tokenName: string }
  | {
      readonly kind: 'grant';
      readonly clientId: string;
      readonly clientName: string;
      /** What the person allowed the program to do here. */
      readonly scopes: readonly string[];
    }
  | { readonly kind: 'console' };

/** Who calls, in which hub: true at the moment of the call and not kept for the next one. */
export type HubPrincipal = {
  readonly hub: HubName;
  readonly person: { readonly personId: string; readonly name: string };
  readonly role: HubRole;
  readonly via: HubVia;
  /** What the program says of itself; undefined before it said so. */
  readonly client: { readonly name: string; readonly version: string } | undefined;
};

/** Why a call is not let in; the code stands in the answer's body. */
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
  /** What to do about it. */
  readonly cure: string;
  /** How long to wait, with 429 only. */
  readonly retryAfterSeconds?: number;
  /** What leave would have to be asked for, with `insufficient_scope` only. */
  readonly scope?: string;
};

/** The answer of a door. */
export type HubEntrance = { readonly kind: 'in'; readonly principal: HubPrincipal } | HubRefusal;

/** The ways into a hub. Memberships are read at that moment; whatever cannot be told is refused. */
export type HubDoor = {
  /** `/agent/mcp`: the hub comes from the token and from its maker's memberships. */
  agent(bearer: string | undefined, address: string): Promise<HubEntrance>;
  /** `/hub/<slug>/mcp`: a token of that hub, or what a person granted to a program there. */
  hub(slug: string, bearer: string | undefined, address: string): Promise<HubEntrance>;
  /** `/memory/hub/<slug>/mcp`: likewise; a grant for the tools of a hub is none for its memory, nor the other way round. */
  memory(slug: string, bearer: string | undefined, address: string): Promise<HubEntrance>;
};

/** How a connection's server is reached. */
export const connectionKinds = ['http', 'sse', 'stdio', 'memory'] as const;
/** One of {@link connectionKinds}: Streamable HTTP, the older HTTP with SSE, a child process, our own memory service. */
export type ConnectionKind = (typeof connectionKinds)[number];

/** What a connection shows upstream; secrets are asked for one by one, see {@link ConnectionSecrets}. */
export type ConnectionCredential =
  | { readonly kind: 'none' }
  | { readonly kind: 'header'; readonly header: string }
  | {
      readonly kind: 'oauth';
      /** One grant for the whole hub, or one of each person. */
      readonly sharing: 'shared' | 'per_user';
      /** Undefined where the hub registers itself with the upstream's server. */
      readonly clientId: string | undefined;
      readonly scope: string | undefined;
    };

/** What is known of a connection since it was last tried. */
export const connectionStates = ['untried', 'connected', 'failing', 'needs_sign_in'] as const;
/** One of {@link connectionStates}. */
export type ConnectionState = (typeof connectionStates)[number];

/** One upstream tool server of a hub. */
export type Connection = {
  readonly id: string;
  readonly hubId: string;
  /** The prefix of its tools, `<name>__<tool>`: lowercase letters, digits and single hyphens, at most 24. */
  readonly name: string;
  readonly kind: ConnectionKind;
  /** With `http` and `sse`. */
  readonly url: string | undefined;
  /** With `stdio`: a name of the operator's file. */
  readonly command: string | undefined;
  readonly credential: ConnectionCredential;
  readonly enabled: boolean;
  readonly state: ConnectionState;
  /** The last real error; undefined after a call that went well. */
  readonly lastError: string | undefined;
  /** Grows with each change of the record: whoever holds an older one has to connect anew. */
  readonly revision: number;
};

/** What is sent upstream. `personId` is looked at where the credential is of each person. */
export type ConnectionSecrets = {
  /** The header of a connection with a header credential; undefined for any other. */
  header(connectionId: string): Promise<{ readonly name: string; readonly value: string } | undefined>;
  /** The hub's own OAuth client secret; undefined where there is none. */
  clientSecret(connectionId: string): Promise<string | undefined>;
  /** What the gateway kept of an OAuth client towards this upstream (registration, tokens, verifier), as its own JSON text. */
  oauthState(connectionId: string, personId: string | undefined): Promise<string | undefined>;
  /**
   * Keeps it sealed; undefined forgets it. Only where the same is kept as when it was read, and for members; false where it
   * was not done.
   */
  keepOauthState(
    connectionId: string,
    personId: string | undefined,
    state: string | undefined,
    read: OauthStateRead,
  ): Promise<boolean>;
};

/** What stood there when it was read, and the revision that the connection had, where it must have it still. */
export type OauthStateRead = { readonly was: string | undefined; readonly revision?: number | undefined };

/** The connections as the gateway sees them. */
export type ConnectionBook = {
  /** Those of a hub that are enabled, by name. */
  ofHub(hubId: string): Promise<readonly Connection[]>;
  find(connectionId: string): Promise<Connection | undefined>;
  /** Notes how the last real call went. */
  noteState(connectionId: string, state: ConnectionState, lastError: string | undefined): Promise<void>;
  /** Notes what is wrong with some of what its server offers; undefined where nothing is. */
  noteWarning(connectionId: string, warning: string | undefined): Promise<void>;
  /** Calls `listener` with the hub's id after its connections or members changed; the returned function stops that. */
  onChange(listener: (hubId: string) => void): () => void;
  readonly secrets: ConnectionSecrets;
};

/** The memory service as hubs call it: they hand over who calls, and no token. */
export type MemoryPort = {
  /** The same list each time, the very same object. */
  listTools(): readonly (ToolDefinition & { readonly inputSchema: { readonly type: 'object' } })[];
  /** Undefined where there is no tool of that name. */
  callTool(who: HubPrincipal, name: string, input: unknown): Promise<object | undefined>;
};

/** Separates a connection's name from the tool's. */
export const toolSeparator = '__';
/** Longer names break clients. */
export const toolNameMaxLength = 64;

/** What the audit keeps of the arguments: JSON pointers to hide, or nothing but the digest. */
export type Redaction = { readonly keep: boolean; readonly hide: readonly string[] };

/** How long a call may take, and how large its answer may be. */
export type CallLimits = { readonly timeoutMs: number; readonly answerBytes: number };

/** A decision about a call. `done` is called once when an allowed call has ended: its place is free again then. */
export type Decision =
  | { readonly allowed: true; readonly redact: Redaction; readonly limits?: CallLimits; readonly done?: () => void }
  | { readonly allowed: false; readonly reason: string; readonly cure: string; readonly redact?: Redaction };

/** A call to be decided about; `tool` as the upstream calls it. */
export type DecidedCall = {
  readonly principal: HubPrincipal;
  readonly connection: Connection;
  readonly tool: string;
  readonly arguments: unknown;
};

/** A tool as its server describes it: name, description, schemas, annotations. */
export type ToolDefinition = { readonly name: string; readonly [member: string]: unknown };

/** Which calls a hub allows. A tool that was never shown to `offered` is refused: nobody knows what it does. */
export type Policy = {
  decide(call: DecidedCall): Promise<Decision>;
  /** Counts a call of what is no tool, `tool` being its name, and says how long it may take and how large its answer may be. */
  admit?(call: DecidedCall): Promise<Decision>;
  /**
   * Pins what is new among the tools of a connection, holds back what has changed since, and gives the names of those that
   * the caller may see. To be called with every whole list that a connection's server gives.
   */
  offered?(
    principal: HubPrincipal,
    connection: Connection,
    tools: readonly ToolDefinition[],
  ): Promise<ReadonlySet<string>>;
};

/** How a call ended. `failed`: the connection's server could not be reached, or gave no usable answer. */
export const auditOutcomes = ['ok', 'tool_error', 'failed', 'denied', 'cancelled', 'timeout'] as const;
/** One of {@link auditOutcomes}. */
export type AuditOutcome = (typeof auditOutcomes)[number];

/** One call, as it is told to the audit. */
export type AuditEntry = {
  readonly atMs: number;
  readonly principal: HubPrincipal;
  /** Such as `tools/call`. */
  readonly method: string;
  readonly connection: { readonly id: string; readonly name: string } | undefined;
  /** A tool's, prompt's or resource's name upstream. */
  readonly tool: string | undefined;
  /** As they came; what is kept of them `redact` says. */
  readonly arguments: unknown;
  readonly redact: Redaction;
  readonly outcome: AuditOutcome;
  /** Why not `ok`: a code or one sentence without secrets. */
  readonly reason: string | undefined;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly answerBytes: number;
  /** As the caller was told it. */
  readonly requestId?: string | undefined;
};

/** Where calls are told. */
export type Audit = {
  /** To be asked before a call goes out: throws AUDIT_UNAVAILABLE where its row could not be kept, and counts `entry` as refused. */
  ready?(entry?: AuditEntry): void;
  /** Resolves when the row is committed: the answer may leave then. Rejects with AUDIT_UNAVAILABLE: it must not leave. */
  record(entry: AuditEntry): Promise<void>;
};

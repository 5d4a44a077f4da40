/** A connection of a hub, what is stored of it, and the entries of its server's lists. */
import type { ConnectionProtocol } from '../../contract/hubs/hubs-api.ts';
import type { HubPrincipal } from '../access/principal.ts';

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

/** An entry of a server's list. */
export type UpstreamItem = { readonly name: string; readonly [member: string]: unknown };
export type UpstreamTool = UpstreamItem;

export type ItemKind = 'tool' | 'prompt' | 'resource' | 'template';

/**
 * Hubs, under /api/v1. A caller who is not a member of the hub gets HUB_UNKNOWN, as if it did not exist. A member's role in
 * the hub decides what they may do there (HUB_ROLE_INSUFFICIENT), whatever their role on the control plane.
 */
import { type Static, Type } from '@sinclair/typebox';
import { nullable, Timestamp } from '../schemas.ts';

/** owner: everything in the hub; member: calls tools; viewer: calls tools that only read. */
export const hubRoleNames = ['owner', 'member', 'viewer'] as const;
const HubRoleSchema = Type.Union(hubRoleNames.map((role) => Type.Literal(role)));
/** Stands in `/hub/<slug>/mcp`: lowercase letters, digits and single hyphens; the server also refuses reserved words. */
const HubSlug = Type.String({ minLength: 1, maxLength: 100 });
/** Display name. */
const Name = Type.String({ minLength: 1, maxLength: 100 });

/**
 * What clients list: all tools, or `find_tools`, `describe_tool` and `call_tool`, with which they search for a tool and call it.
 */
export const toolListModes = ['all', 'search'] as const;
export type ToolListMode = (typeof toolListModes)[number];
const ToolList = Type.Union(toolListModes.map((mode) => Type.Literal(mode)));

/** GET /hubs: the caller's hubs. DELETE /hubs/{hub} (owners) removes one. */
export const Hub = Type.Object({
  hub_id: Type.String(),
  slug: Type.String(),
  name: Name,
  /** Role of the caller. */
  role: HubRoleSchema,
  members: Type.Integer(),
  connections: Type.Integer(),
  tool_list: ToolList,
  created_at: Timestamp,
  created_by: Type.String(),
});
export type Hub = Static<typeof Hub>;
/** GET /hubs/{hub}: a hub of the caller. `revision` differs after each change of its settings, members, connections and policy but that of a secret. */
export const HubDetails = Type.Object({ ...Hub.properties, revision: Type.String() });
export type HubDetails = Static<typeof HubDetails>;
/** POST /hubs: the caller becomes its owner. */
export const CreateHubRequest = Type.Object({ slug: HubSlug, name: Type.Optional(Name) });
export type CreateHubRequest = Static<typeof CreateHubRequest>;
/** The settings that a change was made from. */
const ExpectedHubSettings = Type.Object(
  { name: Type.Optional(Name), tool_list: Type.Optional(ToolList) },
  { additionalProperties: false },
);
export type ExpectedHubSettings = Static<typeof ExpectedHubSettings>;
/**
 * PUT /hubs/{hub} (owners). Tokens stay valid; URLs with the previous slug stop working. Where a setting of `if_settings` has another value
 * by now, nothing is changed: HUB_SETTINGS_CHANGED, with the `expected` and the `actual` settings in `diagnostics`.
 */
export const UpdateHubRequest = Type.Object({
  slug: Type.Optional(HubSlug),
  name: Type.Optional(Name),
  tool_list: Type.Optional(ToolList),
  if_settings: Type.Optional(ExpectedHubSettings),
});
export type UpdateHubRequest = Static<typeof UpdateHubRequest>;

/** GET /hubs/{hub}/members. DELETE …/{person} (owners) removes a member; POST /hubs/{hub}/leave leaves the hub (204). */
export const HubMember = Type.Object({
  person_id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: HubRoleSchema,
  added_at: Timestamp,
});
export type HubMember = Static<typeof HubMember>;
/** The role that a change was made from; `none`: the person was no member. */
const ExpectedHubRole = Type.Union([...hubRoleNames, 'none' as const].map((role) => Type.Literal(role)));
export type ExpectedHubRole = Static<typeof ExpectedHubRole>;
/**
 * PUT /hubs/{hub}/members/{person} (owners): adds a person with an account, or changes their role. HUB_OWNER_LAST for the last owner. Where the
 * person has another role than `if_role` by now, nothing is changed: HUB_MEMBER_CHANGED, with the `expected` and the `actual` one in `diagnostics`.
 */
export const SetHubMemberRequest = Type.Object({ role: HubRoleSchema, if_role: Type.Optional(ExpectedHubRole) });
/** Query of DELETE /hubs/{hub}/members/{person}. */
export const RemoveHubMemberQuery = Type.Object({ if_role: SetHubMemberRequest.properties.if_role });

export const tokenExpiryOptions = ['30 days', '90 days', '1 year', 'No expiration'] as const;
export type TokenExpiry = (typeof tokenExpiryOptions)[number];
const Expiry = Type.Union(tokenExpiryOptions.map((choice) => Type.Literal(choice)));

/**
 * GET /hub-tokens: the caller's personal access tokens in all hubs. GET /hubs/{hub}/tokens: those of one hub; owners of
 * the hub see all tokens. DELETE /hub-tokens/{token} revokes one at once (its creator, or an owner of its hub).
 */
export const HubToken = Type.Object({
  token_id: Type.String(),
  name: Name,
  /** Slug of its hub. */
  hub: Type.String(),
  person_id: Type.String(),
  /** Name of the person whom its calls are attributed to. */
  person: Type.String(),
  expiry: Expiry,
  created_at: Timestamp,
  rotated_at: nullable(Timestamp),
  expires_at: nullable(Timestamp),
  /** `left`: its creator is no longer a member of the hub, so the token is refused. */
  state: Type.Union([Type.Literal('active'), Type.Literal('expired'), Type.Literal('left')]),
  /** Until when the secret before the last rotation is accepted too. */
  previous_until: nullable(Timestamp),
  /** Accurate to a minute. */
  last_used_at: nullable(Timestamp),
  last_address: nullable(Type.String()),
  /** Null: as its hub. */
  tool_list: nullable(ToolList),
});
export type HubToken = Static<typeof HubToken>;
/** POST /hubs/{hub}/tokens: a token of that hub and the caller. Not with an API key. */
export const CreateHubTokenRequest = Type.Object({
  name: Name,
  expiry: Expiry,
  tool_list: Type.Optional(nullable(ToolList)),
});
export type CreateHubTokenRequest = Static<typeof CreateHubTokenRequest>;
/** Response of creating a token, of POST /hub-tokens/{token}/rotate and of POST …/reveal. */
export const HubTokenWithSecret = Type.Object({ hub_token: HubToken, token: Type.String() });
export type HubTokenWithSecret = Static<typeof HubTokenWithSecret>;
/** PUT /hub-tokens/{token}: its creator changes what its clients list; null is as its hub. */
export const UpdateHubTokenRequest = Type.Object({ tool_list: nullable(ToolList) });
export type UpdateHubTokenRequest = Static<typeof UpdateHubTokenRequest>;
/** POST /hub-tokens/{token}/rotate: the expiry counts from now; the previous secret ends at once, or after `grace_seconds`. */
export const RotateHubTokenRequest = Type.Object({
  grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400, default: 0 })),
});
export type RotateHubTokenRequest = Static<typeof RotateHubTokenRequest>;

const Url = Type.String({ minLength: 1, maxLength: 2000 });
const Header = Type.String({ minLength: 1, maxLength: 100 });
const Scope = Type.String({ minLength: 1, maxLength: 1000 });
const ClientId = Type.String({ minLength: 1, maxLength: 2000 });
const Sharing = Type.Union([Type.Literal('shared'), Type.Literal('per_user')]);
/** `memory`: the memory service of this control plane; it has no URL and no credential, and a hub has at most one. */
const Kind = Type.Union([Type.Literal('http'), Type.Literal('sse'), Type.Literal('stdio'), Type.Literal('memory')]);
const Secret = Type.String({ minLength: 1, maxLength: 8000 });

/**
 * The era of MCP in which a server is called. `auto`: the newest that it has. `newest`: 2026-07-28 only. `older`: the revisions
 * before, with `initialize`, also where the server has both.
 */
export const connectionProtocols = ['auto', 'newest', 'older'] as const;
export const ConnectionProtocol = Type.Union([Type.Literal('auto'), Type.Literal('newest'), Type.Literal('older')]);
export type ConnectionProtocol = Static<typeof ConnectionProtocol>;

/** The credential that a connection uses upstream, without its secrets. */
const ConnectionCredentialView = Type.Union([
  Type.Object({ kind: Type.Literal('none') }),
  Type.Object({ kind: Type.Literal('header'), header: Header }),
  Type.Object({
    kind: Type.Literal('oauth'),
    sharing: Sharing,
    client_id: nullable(ClientId),
    has_client_secret: Type.Boolean(),
    scope: nullable(Scope),
  }),
]);
/** The credential as people write it; its secrets are never returned. */
export const ConnectionCredentialInput = Type.Union([
  Type.Object({ kind: Type.Literal('none') }, { additionalProperties: false }),
  Type.Object({ kind: Type.Literal('header'), header: Header, value: Secret }, { additionalProperties: false }),
  Type.Object(
    {
      kind: Type.Literal('oauth'),
      sharing: Sharing,
      /** Without it the hub registers itself with the upstream's authorization server. */
      client_id: Type.Optional(ClientId),
      client_secret: Type.Optional(Secret),
      scope: Type.Optional(Scope),
    },
    { additionalProperties: false },
  ),
]);
export type ConnectionCredentialInput = Static<typeof ConnectionCredentialInput>;

/** GET /hubs/{hub}/connections; GET and DELETE …/{connection} (by its id or its name). */
export const HubConnection = Type.Object({
  connection_id: Type.String(),
  /** Prefix of its tools. */
  name: Type.String(),
  kind: Kind,
  url: nullable(Url),
  /** Name of a command in the operator's file. */
  command: nullable(Type.String()),
  credential: ConnectionCredentialView,
  protocol: ConnectionProtocol,
  enabled: Type.Boolean(),
  state: Type.Union([
    Type.Literal('untried'),
    Type.Literal('connected'),
    Type.Literal('failing'),
    Type.Literal('needs_sign_in'),
  ]),
  /** Error of the last call; null after a successful one. */
  last_error: nullable(Type.String()),
  /** What is wrong with part of what it offers, such as malformed tools; its other tools are available. */
  warning: nullable(Type.String()),
  /** With an OAuth credential: whether the hub or the caller is signed in to the upstream. */
  sign_in: nullable(
    Type.Object({
      needed: Type.Boolean(),
      by: Type.Union([Type.Literal('shared'), Type.Literal('user')]),
      signed_in: Type.Boolean(),
      /** When it expires; null when unknown, or when it is renewed automatically. */
      expires_at: nullable(Timestamp),
    }),
  ),
  last_tried_at: nullable(Timestamp),
  /** Increases with each change. */
  revision: Type.Integer(),
  created_at: Timestamp,
  created_by: Type.String(),
});
export type HubConnection = Static<typeof HubConnection>;
/** POST /hubs/{hub}/connections (owners; `stdio`: owners of the control plane too). */
export const CreateHubConnectionRequest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  kind: Kind,
  url: Type.Optional(Url),
  command: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  credential: Type.Optional(ConnectionCredentialInput),
  protocol: Type.Optional(ConnectionProtocol),
  enabled: Type.Optional(Type.Boolean()),
});
export type CreateHubConnectionRequest = Static<typeof CreateHubConnectionRequest>;
/**
 * GET /hubs/{hub}/commands (owners of the hub): the operator's commands that connections of the kind `stdio` may run, by
 * name, without arguments and variables, which may be secret. Callers who are not owners of the control plane see what a
 * command is for and how it is confined, but not the image or program.
 */
export const HubCommand = Type.Object({
  name: Type.String(),
  /** The operator's description. */
  description: nullable(Type.String()),
  /** Null without an image, and for callers who are not owners of the control plane. */
  image: nullable(Type.String()),
  /** The first word of the command; null for an image's own entry point, and for callers who are not owners of the control plane. */
  program: nullable(Type.String()),
  /** `unconfined`: runs as the user of the control plane. `refused`: it has no image, and the operator did not allow that. */
  runs: Type.Union([Type.Literal('container'), Type.Literal('unconfined'), Type.Literal('refused')]),
  reaches_network: Type.Boolean(),
});
export type HubCommand = Static<typeof HubCommand>;
export const HubCommandList = Type.Object({
  items: Type.Array(HubCommand),
  /** The operator's file; null without one, and for callers who are not owners of the control plane. */
  file: nullable(Type.String()),
  /** Whether the caller may connect commands: only owners of the control plane. */
  may_connect: Type.Boolean(),
});
export type HubCommandList = Static<typeof HubCommandList>;
/**
 * PUT /hubs/{hub}/connections/{connection} (owners): omitted members are unchanged, except that a credential is dropped when the host changes.
 * With `if_revision`, a connection that somebody else has changed since is not overwritten.
 */
export const UpdateHubConnectionRequest = Type.Partial(
  Type.Object({
    ...Type.Omit(CreateHubConnectionRequest, ['kind']).properties,
    if_revision: Type.Integer({ minimum: 1 }),
  }),
);
export type UpdateHubConnectionRequest = Static<typeof UpdateHubConnectionRequest>;

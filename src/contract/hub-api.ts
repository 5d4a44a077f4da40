/**
 * Hubs, under /api/v1. Who belongs to no hub of that slug is told that there is none (HUB_UNKNOWN); what a member may do
 * there their role in the hub says (HUB_ROLE_INSUFFICIENT), whatever they are on the control plane.
 */
import { type Static, Type } from '@sinclair/typebox';
import { Moment, nullable } from './words.ts';

/** owner: everything in the hub; member: calls tools; viewer: calls tools that only read. */
export const hubRoleWords = ['owner', 'member', 'viewer'] as const;
/** Schema of a role in a hub. */
export const HubRoleSchema = Type.Union(hubRoleWords.map((role) => Type.Literal(role)));
/** Stands in `/hub/<slug>/mcp`: lowercase letters, digits and single hyphens; the server also refuses reserved words. */
export const HubSlug = Type.String({ minLength: 1, maxLength: 100 });
/** Shown to people. */
const Name = Type.String({ minLength: 1, maxLength: 100 });

/** GET /hubs: those that the caller belongs to. GET /hubs/{hub}: one of them. DELETE /hubs/{hub} (owners) removes it. */
export const Hub = Type.Object({
  hub_id: Type.String(),
  slug: Type.String(),
  name: Name,
  /** The caller's. */
  role: HubRoleSchema,
  members: Type.Integer(),
  connections: Type.Integer(),
  created_at: Moment,
  created_by: Type.String(),
});
/** See {@link Hub}. */
export type Hub = Static<typeof Hub>;
/** POST /hubs: the caller becomes its owner. */
export const HubNew = Type.Object({ slug: HubSlug, name: Type.Optional(Name) });
/** See {@link HubNew}. */
export type HubNew = Static<typeof HubNew>;
/** PUT /hubs/{hub} (owners). Tokens go on; addresses with the slug before do not lead here any more. */
export const HubChange = Type.Object({ slug: Type.Optional(HubSlug), name: Type.Optional(Name) });
/** See {@link HubChange}. */
export type HubChange = Static<typeof HubChange>;

/** GET /hubs/{hub}/members. DELETE …/{person} (owners) ends a membership; POST /hubs/{hub}/leave ends one's own (204). */
export const HubMember = Type.Object({
  person_id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: HubRoleSchema,
  added_at: Moment,
});
/** See {@link HubMember}. */
export type HubMember = Static<typeof HubMember>;
/** PUT /hubs/{hub}/members/{person} (owners): adds somebody with an account, or gives them another role. HUB_OWNER_LAST for the last owner. */
export const HubMemberWrite = Type.Object({ role: HubRoleSchema });

/** The choices that there are. */
export const tokenExpiries = ['30 days', '90 days', '1 year', 'No expiration'] as const;
/** One of {@link tokenExpiries}. */
export type TokenExpiry = (typeof tokenExpiries)[number];
const Expiry = Type.Union(tokenExpiries.map((choice) => Type.Literal(choice)));

/**
 * GET /hub-tokens: the caller's personal access tokens in all hubs. GET /hubs/{hub}/tokens: those of one hub; owners of
 * the hub see everybody's. DELETE /hub-tokens/{token} ends one at once (its maker, or an owner of its hub).
 */
export const HubToken = Type.Object({
  token_id: Type.String(),
  name: Name,
  /** Slug of its hub. */
  hub: Type.String(),
  person_id: Type.String(),
  /** Whom its calls are attributed to. */
  person: Type.String(),
  expiry: Expiry,
  created_at: Moment,
  rotated_at: nullable(Moment),
  expires_at: nullable(Moment),
  /** `left`: its maker is no longer a member of the hub, so that nothing opens with it. */
  state: Type.Union([Type.Literal('active'), Type.Literal('expired'), Type.Literal('left')]),
  /** Until when the secret before the last rotation holds too. */
  previous_until: nullable(Moment),
  /** Within a minute. */
  last_used_at: nullable(Moment),
  last_address: nullable(Type.String()),
});
/** See {@link HubToken}. */
export type HubToken = Static<typeof HubToken>;
/** POST /hubs/{hub}/tokens: for that hub and the caller alone. Not with an API key. */
export const HubTokenNew = Type.Object({ name: Name, expiry: Expiry });
/** See {@link HubTokenNew}. */
export type HubTokenNew = Static<typeof HubTokenNew>;
/** Answer to making, to POST /hub-tokens/{token}/rotate, and to POST …/reveal. */
export const HubTokenShown = Type.Object({ hub_token: HubToken, token: Type.String() });
/** See {@link HubTokenShown}. */
export type HubTokenShown = Static<typeof HubTokenShown>;
/** POST /hub-tokens/{token}/rotate: its expiry counts from now; the secret before ends at once, or after so long. */
export const HubTokenRotate = Type.Object({
  grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400, default: 0 })),
});
/** See {@link HubTokenRotate}. */
export type HubTokenRotate = Static<typeof HubTokenRotate>;

const Url = Type.String({ minLength: 1, maxLength: 2000 });
const Header = Type.String({ minLength: 1, maxLength: 100 });
const Scope = Type.String({ minLength: 1, maxLength: 1000 });
const ClientId = Type.String({ minLength: 1, maxLength: 2000 });
const Sharing = Type.Union([Type.Literal('shared'), Type.Literal('per_user')]);
/** `memory`: the memory service of this control plane; it has no address and no credential, and a hub has at most one. */
const Kind = Type.Union([Type.Literal('http'), Type.Literal('sse'), Type.Literal('stdio'), Type.Literal('memory')]);
const Secret = Type.String({ minLength: 1, maxLength: 8000 });

/** What a connection shows upstream, without what is secret of it. */
export const ConnectionCredentialShown = Type.Union([
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
/** The same as people write it; secrets are never answered back. */
export const ConnectionCredentialWrite = Type.Union([
  Type.Object({ kind: Type.Literal('none') }, { additionalProperties: false }),
  Type.Object({ kind: Type.Literal('header'), header: Header, value: Secret }, { additionalProperties: false }),
  Type.Object(
    {
      kind: Type.Literal('oauth'),
      sharing: Sharing,
      /** Without it the hub registers itself with the upstream's server. */
      client_id: Type.Optional(ClientId),
      client_secret: Type.Optional(Secret),
      scope: Type.Optional(Scope),
    },
    { additionalProperties: false },
  ),
]);
/** See {@link ConnectionCredentialWrite}. */
export type ConnectionCredentialWrite = Static<typeof ConnectionCredentialWrite>;

/** GET /hubs/{hub}/connections; GET and DELETE …/{connection} (by its id or its name). */
export const HubConnection = Type.Object({
  connection_id: Type.String(),
  /** Prefix of its tools. */
  name: Type.String(),
  kind: Kind,
  url: nullable(Url),
  /** A name of the operator's file. */
  command: nullable(Type.String()),
  credential: ConnectionCredentialShown,
  enabled: Type.Boolean(),
  state: Type.Union([
    Type.Literal('untried'),
    Type.Literal('connected'),
    Type.Literal('failing'),
    Type.Literal('needs_sign_in'),
  ]),
  /** Of the last real call that failed; null after one that went well. */
  last_error: nullable(Type.String()),
  /** What is wrong with some of what it offers, such as tools that are none; its other tools are there. */
  warning: nullable(Type.String()),
  /** With an OAuth credential: whether the hub, or the caller, is signed in there. */
  sign_in: nullable(
    Type.Object({
      needed: Type.Boolean(),
      by: Type.Union([Type.Literal('shared'), Type.Literal('user')]),
      signed_in: Type.Boolean(),
      /** When it ends; null where that is not told, or where it is renewed by itself. */
      expires_at: nullable(Moment),
    }),
  ),
  last_tried_at: nullable(Moment),
  created_at: Moment,
  created_by: Type.String(),
});
/** See {@link HubConnection}. */
export type HubConnection = Static<typeof HubConnection>;
/** POST /hubs/{hub}/connections (owners; `stdio`: owners of the control plane too). */
export const HubConnectionNew = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  kind: Kind,
  url: Type.Optional(Url),
  command: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  credential: Type.Optional(ConnectionCredentialWrite),
  enabled: Type.Optional(Type.Boolean()),
});
/** See {@link HubConnectionNew}. */
export type HubConnectionNew = Static<typeof HubConnectionNew>;
/**
 * GET /hubs/{hub}/commands (owners of the hub): the programs that connections of the kind `stdio` may run, by name. They are
 * the operator's words without what may be secret of them: neither further words nor variables. Whoever does not own the
 * control plane reads what they are for and how they are confined, not what they are on its machine.
 */
export const HubCommand = Type.Object({
  name: Type.String(),
  /** What the operator says of it. */
  description: nullable(Type.String()),
  /** Null where there is none, and for whoever does not own the control plane. */
  image: nullable(Type.String()),
  /** The first word; null where an image's own program runs, and for whoever does not own the control plane. */
  program: nullable(Type.String()),
  /** `unconfined`: as the user of the control plane. `refused`: it names no image, and the operator did not allow that. */
  runs: Type.Union([Type.Literal('container'), Type.Literal('unconfined'), Type.Literal('refused')]),
  reaches_network: Type.Boolean(),
});
/** See {@link HubCommand}. */
export type HubCommand = Static<typeof HubCommand>;
/** Answer to it. */
export const HubCommands = Type.Object({
  items: Type.Array(HubCommand),
  /** The operator's file; null where there is none, and for whoever does not own the control plane. */
  file: nullable(Type.String()),
  /** Whether the caller may connect them: owners of the control plane alone. */
  may_connect: Type.Boolean(),
});
/** See {@link HubCommands}. */
export type HubCommands = Static<typeof HubCommands>;
/** PUT /hubs/{hub}/connections/{connection} (owners): what is left out stays, save that a credential never follows to another host. */
export const HubConnectionChange = Type.Partial(Type.Omit(HubConnectionNew, ['kind']));
/** See {@link HubConnectionChange}. */
export type HubConnectionChange = Static<typeof HubConnectionChange>;

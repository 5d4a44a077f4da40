/** What a person reads about an OAuth client that asks for consent or has it: who it is, where, and what it may do. */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { nullable } from './schemas.ts';

/** How the client is known: by the metadata document at its id, by dynamic registration, or as one of ours. */
const clientOrigins = ['metadata_document', 'dynamic', 'built_in'] as const;

/** An OAuth client as people see it. Its own claims are not verified unless `verified`: then `host` vouches for it, or it is ours. */
export const OAuthClientView = Type.Object({
  /** The name that the client claims. */
  name: Type.String(),
  id: Type.String(),
  /** The host that serves its metadata document; null for other clients. */
  host: nullable(Type.String()),
  verified: Type.Boolean(),
  /** The home page that it claims; https or http, on a public host. */
  uri: nullable(Type.String()),
  registered: Type.Union(clientOrigins.map((origin) => Type.Literal(origin))),
  /** Host and port of its redirect URI (or its own scheme, such as `cursor:`); null for a device. */
  redirect_host: nullable(Type.String()),
});
export type OAuthClientView = Static<typeof OAuthClientView>;

/** What consent is for: the control plane's API, the tools of a hub, or the memory of a hub. */
const grantServices = ['control_plane', 'hub', 'memory'] as const;
export const GrantService = Type.Union(grantServices.map((service) => Type.Literal(service)));

/** `name` equals the slug for people who are not members of the hub. */
export const GrantHub = Type.Object({ slug: Type.String(), name: Type.String() });

/** Common members of an interaction and a device request. */
export const ConsentRequest = {
  client: OAuthClientView,
  service: GrantService,
  /** Null for the control plane. */
  hub: nullable(GrantHub),
  /** Permissions, each phrased to follow "it may". */
  may: Type.Array(Type.String()),
  /** Lifetime of an access token, and the longest time that the client stays signed in, in milliseconds. */
  lasts: Type.Object({ access_ms: Type.Integer(), refresh_ms: Type.Integer() }),
  /** Whether the person is a member of the hub, which consent requires; false before sign-in, true without a hub. */
  member: Type.Boolean(),
} as const;
export type ConsentRequest = Static<TObject<typeof ConsentRequest>>;
export type GrantHub = Static<typeof GrantHub>;

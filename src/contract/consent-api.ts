/** What a person is told of a program that asks for leave, and of leave that they gave: who it is, where, and what it may do. */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { nullable } from './words.ts';

/** How we came to know a program: by a document at the address that is its id, by its own registration, or it is ours. */
export const clientOrigins = ['metadata_document', 'dynamic', 'built_in'] as const;

/** A program as it is shown. What it says of itself anybody can say: only where it is `verified` does `host` vouch for it, or it is ours. */
export const AskingClient = Type.Object({
  /** As the program calls itself. */
  name: Type.String(),
  id: Type.String(),
  /** The host that serves its document; for any other program null. */
  host: nullable(Type.String()),
  verified: Type.Boolean(),
  /** Its page, as it says; https or http of a public host. */
  uri: nullable(Type.String()),
  registered: Type.Union(clientOrigins.map((origin) => Type.Literal(origin))),
  /** Where its browser is sent back to, with the port (or the scheme of its own, as `cursor:`); null for a device. */
  redirect_host: nullable(Type.String()),
});
/** See {@link AskingClient}. */
export type AskingClient = Static<typeof AskingClient>;

/** What leave is for: this control plane's API, the tools of a hub, the memory of a hub. */
export const grantServices = ['control_plane', 'hub', 'memory'] as const;
/** One of {@link grantServices}. */
export const GrantService = Type.Union(grantServices.map((service) => Type.Literal(service)));

/** A hub by both its names. To whoever does not belong to it the name is the slug. */
export const GrantHub = Type.Object({ slug: Type.String(), name: Type.String() });

/** What is asked: part of an interaction and of a device's request. */
export const AskedLeave = {
  client: AskingClient,
  service: GrantService,
  /** Null where it is for the control plane. */
  hub: nullable(GrantHub),
  /** What it may do, each to follow on "it may". */
  may: Type.Array(Type.String()),
  /** How long a token is good, and how long the program stays signed in at most, in milliseconds. */
  lasts: Type.Object({ access_ms: Type.Integer(), refresh_ms: Type.Integer() }),
  /** Whether the person belongs to the hub, which alone can be allowed; false before anybody signed in. True without a hub. */
  member: Type.Boolean(),
} as const;
/** See {@link AskedLeave}. */
export type AskedLeave = Static<TObject<typeof AskedLeave>>;
/** See {@link GrantHub}. */
export type GrantHub = Static<typeof GrantHub>;

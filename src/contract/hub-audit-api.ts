/** The audit of a hub, under /api/v1: who called what, when, with which result. */
import { type Static, Type } from '@sinclair/typebox';
import { Moment, nullable } from './words.ts';

const Text = Type.String({ maxLength: 300 });
const Digest = Type.String({ maxLength: 64 });
const Count = Type.Integer({ minimum: 0 });

/** How a call ended. `failed`: the connection's server could not be reached, or gave no usable answer. */
export const AuditOutcomeWord = Type.Union([
  Type.Literal('ok'),
  Type.Literal('tool_error'),
  Type.Literal('failed'),
  Type.Literal('denied'),
  Type.Literal('cancelled'),
  Type.Literal('timeout'),
]);

/** What the chain attests of one call. */
export const AttestedCall = Type.Object({
  hub_id: Text,
  hub: Text,
  seq: Type.Integer({ minimum: 1 }),
  at: Moment,
  person_id: Text,
  person: Text,
  role: Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer')]),
  via: Type.Union([Type.Literal('token'), Type.Literal('grant'), Type.Literal('console')]),
  via_id: nullable(Text),
  via_name: nullable(Text),
  client: nullable(Text),
  client_version: nullable(Text),
  method: Text,
  connection_id: nullable(Text),
  connection: nullable(Text),
  tool: nullable(Text),
  outcome: AuditOutcomeWord,
  reason: nullable(Text),
  duration_ms: Type.Number({ minimum: 0 }),
  request_bytes: Count,
  answer_bytes: Count,
  request_id: nullable(Text),
  /** HMAC-SHA256 of a salt and the arguments as they came. */
  arguments_digest: Digest,
  /** The same of what is kept of them; null where nothing is. */
  kept_digest: nullable(Digest),
});
/** See {@link AttestedCall}. */
export type AttestedCall = Static<typeof AttestedCall>;

/** One call. `arguments` is what the hub's policy keeps of them, as JSON text; null where that is nothing, or was erased. */
export const AuditCall = Type.Composite([AttestedCall, Type.Object({ arguments: nullable(Type.String()) })]);
/** See {@link AuditCall}. */
export type AuditCall = Static<typeof AuditCall>;

/**
 * GET /hubs/{hub}/audit: newest first. One question looks at a bounded number of calls: a page may have fewer than were
 * asked for, or none, and still a `next_cursor` to go on with.
 */
export const AuditQuery = Type.Object({
  person: Type.Optional(Type.String({ maxLength: 100, description: 'id of a person' })),
  token: Type.Optional(Type.String({ maxLength: 100, description: 'id of a token or of a granted client' })),
  connection: Type.Optional(Type.String({ maxLength: 100, description: 'name of a connection' })),
  tool: Type.Optional(Type.String({ maxLength: 200, description: 'name of a tool, as its server calls it' })),
  outcome: Type.Optional(AuditOutcomeWord),
  request_id: Type.Optional(Type.String({ maxLength: 100 })),
  from: Type.Optional(Moment),
  to: Type.Optional(Moment),
});
/** See {@link AuditQuery}. */
export type AuditQuery = Static<typeof AuditQuery>;

/** Answer to it. Calls before `looked_until` have not been looked at; null where all have. */
export const AuditFound = Type.Object({
  items: Type.Array(AuditCall),
  next_cursor: nullable(Type.String()),
  looked_until: nullable(Moment),
});
/** See {@link AuditFound}. */
export type AuditFound = Static<typeof AuditFound>;

/** Forms of GET /hubs/{hub}/audit/export. */
export const AuditFormat = Type.Union([Type.Literal('jsonl'), Type.Literal('csv'), Type.Literal('otel')]);
/** See {@link AuditFormat}. */
export type AuditFormat = Static<typeof AuditFormat>;

/** How the audit of this control plane is. */
export const AuditState = Type.Object({
  /** What keeps rows from being written; null while they are. */
  problem: nullable(Type.String()),
  used_bytes: Count,
  most_bytes: Count,
  /** Of this hub: the first and the last entry that are kept; null where there is none. */
  first_seq: nullable(Count),
  last_seq: nullable(Count),
});
/** See {@link AuditState}. */
export type AuditState = Static<typeof AuditState>;

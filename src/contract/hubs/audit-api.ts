/** The audit of a hub, under /api/v1: who called what, when, and with which outcome. */
import { type Static, Type } from '@sinclair/typebox';
import { nullable, Timestamp } from '../schemas.ts';

const Text = Type.String({ maxLength: 300 });
const Digest = Type.String({ maxLength: 64 });
const Count = Type.Integer({ minimum: 0 });

/**
 * How a call ended. `failed`: the connection's server could not be reached, or gave no usable response. With an entry before
 * each call that is sent, `started` has no outcome yet, and `unknown` never got one: the process ended.
 */
const AuditOutcomeSchema = Type.Union([
  Type.Literal('ok'),
  Type.Literal('tool_error'),
  Type.Literal('failed'),
  Type.Literal('denied'),
  Type.Literal('cancelled'),
  Type.Literal('timeout'),
  Type.Literal('started'),
  Type.Literal('unknown'),
]);

/** The members of a call that the audit chain attests. */
export const AttestedCall = Type.Object({
  hub_id: Text,
  hub: Text,
  seq: Type.Integer({ minimum: 1 }),
  at: Timestamp,
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
  outcome: AuditOutcomeSchema,
  reason: nullable(Text),
  duration_ms: Type.Number({ minimum: 0 }),
  request_bytes: Count,
  answer_bytes: Count,
  request_id: nullable(Text),
  /** HMAC-SHA256 of a salt and the arguments as received. */
  arguments_digest: Digest,
  /** The same digest of the arguments as stored; null when they are not stored. */
  kept_digest: nullable(Digest),
  /** The entry `started` of the call whose outcome this is. */
  intent_seq: Type.Optional(Type.Integer({ minimum: 1 })),
  /**
   * What the row adds to budgets, where that is not the call and its bytes: nothing for a call that ended before anything was sent, and the
   * bytes of answers with which a caller continues a call that has a row of its own.
   */
  counts: Type.Optional(Type.Union([Type.Literal('nothing'), Type.Literal('bytes')])),
});
export type AttestedCall = Static<typeof AttestedCall>;

/** One call. `arguments` is the part that the hub's policy stores, as JSON text; null when nothing is stored, or it was erased. */
export const AuditCall = Type.Composite([AttestedCall, Type.Object({ arguments: nullable(Type.String()) })]);
export type AuditCall = Static<typeof AuditCall>;

/**
 * GET /hubs/{hub}/audit: newest first. One request scans a bounded number of calls: a page may have fewer than requested,
 * or none, and still a `next_cursor` to continue with.
 */
export const AuditQuery = Type.Object({
  person: Type.Optional(Type.String({ maxLength: 100, description: 'id of a person' })),
  token: Type.Optional(Type.String({ maxLength: 100, description: 'id of a token or of a granted client' })),
  connection: Type.Optional(Type.String({ maxLength: 100, description: 'name of a connection' })),
  tool: Type.Optional(Type.String({ maxLength: 200, description: 'name of a tool, as its server calls it' })),
  outcome: Type.Optional(AuditOutcomeSchema),
  request_id: Type.Optional(Type.String({ maxLength: 100 })),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
});
export type AuditQuery = Static<typeof AuditQuery>;

/** Calls before `looked_until` have not been scanned; null when all have. */
export const AuditSearchResponse = Type.Object({
  items: Type.Array(AuditCall),
  next_cursor: nullable(Type.String()),
  looked_until: nullable(Timestamp),
});
export type AuditSearchResponse = Static<typeof AuditSearchResponse>;

/** Formats of GET /hubs/{hub}/audit/export. */
export const AuditExportFormat = Type.Union([Type.Literal('jsonl'), Type.Literal('csv'), Type.Literal('otel')]);
export type AuditExportFormat = Static<typeof AuditExportFormat>;

/** GET /hubs/{hub}/audit/state: whether the audit of this control plane can be written. */
export const AuditStorageStatus = Type.Object({
  /** What prevents rows from being written; null while they can be. */
  problem: nullable(Type.String()),
  used_bytes: Count,
  most_bytes: Count,
  /** First and last stored entry of this hub; null without entries. */
  first_seq: nullable(Count),
  last_seq: nullable(Count),
  /** Calls of this hub that were started and have no outcome yet. */
  open_calls: Count,
});
export type AuditStorageStatus = Static<typeof AuditStorageStatus>;

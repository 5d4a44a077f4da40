/** Use of connections: probing, signing in, and calling tools by hand. Under /api/v1/hubs/{hub}. */
import { type Static, Type } from '@sinclair/typebox';
import { nullable, Timestamp } from '../schemas.ts';
import { CreateHubConnectionRequest } from './hubs-api.ts';

const JsonObject = Type.Record(Type.String(), Type.Unknown());
const Count = Type.Integer({ minimum: 0 });

/**
 * POST /hubs/{hub}/connections/probe (owners): a connection as it would be created; the name is optional. Nothing is stored.
 * POST /hubs/{hub}/connections/{connection}/probe (owners), without a body: an existing connection, with its credential. The hub
 * adopts the lists that were read, unless the connection is disabled: definitions that are new or have changed wait for an owner.
 */
export const ProbeHubConnectionRequest = Type.Composite([
  Type.Omit(CreateHubConnectionRequest, ['name', 'enabled']),
  Type.Partial(Type.Pick(CreateHubConnectionRequest, ['name', 'enabled'])),
]);
export type ProbeHubConnectionRequest = Static<typeof ProbeHubConnectionRequest>;

/** Longer texts are truncated and further tools omitted; `tools_count` is the total. */
export const probeLimits = { tools: 500, text: 2000 } as const;

/** With a `problem`, everything that could not be found out is null or empty. */
export const HubConnectionProbeResult = Type.Object({
  server: nullable(Type.Object({ name: Type.String(), version: Type.String() })),
  /** Such as `2026-07-28`. */
  protocol_version: nullable(Type.String()),
  instructions: nullable(Type.String()),
  tools: Type.Array(
    Type.Object({
      name: Type.String(),
      title: nullable(Type.String()),
      description: nullable(Type.String()),
      /** MCP annotations: `readOnlyHint`, `destructiveHint` … */
      annotations: nullable(Type.Object({}, { additionalProperties: Type.Boolean() })),
    }),
  ),
  tools_count: Count,
  resources_count: Count,
  prompts_count: Count,
  /** What is wrong with part of what it offers, such as malformed tools; null when nothing is. */
  warning: nullable(Type.String()),
  duration_ms: Type.Number(),
  /** Why the probe failed: UPSTREAM_SIGN_IN_NEEDED when the server requires a credential or a sign-in. */
  problem: nullable(Type.Object({ code: Type.String(), message: Type.String(), cure: Type.String() })),
});
export type HubConnectionProbeResult = Static<typeof HubConnectionProbeResult>;

/**
 * POST /hubs/{hub}/connections/{connection}/sign-in, from a browser only (owners when one sign-in serves the whole hub, else
 * each member for themselves): the URL for the browser. It returns to `GET /hubs/sign-in`, which redirects to
 * `/hubs/{hub}/connections?signed_in=<name>`, or `?problem=<code>&connection=<name>`. DELETE …/sign-in removes a sign-in.
 */
export const StartHubSignInResponse = Type.Object({ authorization_url: Type.String(), expires_at: Timestamp });
export type StartHubSignInResponse = Static<typeof StartHubSignInResponse>;

/** POST /hubs/{hub}/tools/call (members and owners): like a call by a client of the caller, recorded in the audit. */
export const CallHubToolRequest = Type.Object({
  /** As clients call it, `<connection>__<tool>`. */
  name: Type.String({ minLength: 1, maxLength: 300 }),
  arguments: Type.Optional(JsonObject),
});
export type CallHubToolRequest = Static<typeof CallHubToolRequest>;

/** Refusals are problems: HUB_CALL_DENIED, HUB_TOOL_UNKNOWN, HUB_CALL_ASKS, UPSTREAM_*, AUDIT_UNAVAILABLE. */
export const CallHubToolResponse = Type.Object({
  /** The MCP result: `content`, `structuredContent` … */
  result: JsonObject,
  is_error: Type.Boolean(),
  duration_ms: Type.Number(),
  /** As recorded in the audit. */
  outcome: Type.Union([Type.Literal('ok'), Type.Literal('tool_error')]),
});
export type CallHubToolResponse = Static<typeof CallHubToolResponse>;

/** GET /hubs/{hub}/tools/offered (members and owners): the tools that the caller's clients would see, for calling by hand. */
export const OfferedHubTools = Type.Object({
  items: Type.Array(
    Type.Object({
      name: Type.String(),
      connection: Type.String(),
      title: nullable(Type.String()),
      description: nullable(Type.String()),
      input_schema: JsonObject,
      annotations: nullable(Type.Object({}, { additionalProperties: true })),
    }),
  ),
  /** Connections whose tools are missing, and why. */
  missing: Type.Array(Type.Object({ connection: Type.String(), code: Type.String(), message: Type.String() })),
});
export type OfferedHubTools = Static<typeof OfferedHubTools>;

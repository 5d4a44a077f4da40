/** Connections in use: tried before they are kept, signed in to, and their tools called by hand. Under /api/v1/hubs/{hub}. */
import { type Static, Type } from '@sinclair/typebox';
import { HubConnectionNew } from './hub-api.ts';
import { Moment, nullable } from './words.ts';

const JsonObject = Type.Record(Type.String(), Type.Unknown());
const Count = Type.Integer({ minimum: 0 });

/**
 * POST /hubs/{hub}/connections/probe (owners): a connection as it would be made; a name is not needed. Nothing is kept.
 * POST /hubs/{hub}/connections/{connection}/probe (owners), without a body: one that there is, with its credential.
 */
export const HubConnectionProbe = Type.Composite([
  Type.Omit(HubConnectionNew, ['name', 'enabled']),
  Type.Partial(Type.Pick(HubConnectionNew, ['name', 'enabled'])),
]);
/** See {@link HubConnectionProbe}. */
export type HubConnectionProbe = Static<typeof HubConnectionProbe>;

/** Longer texts are cut, and further tools left out: `tools_count` says how many there are. */
export const probeBounds = { tools: 500, text: 2000 } as const;

/** Answer to a probe. Where `problem` is there, whatever was not learnt is null or empty. */
export const HubConnectionProbed = Type.Object({
  server: nullable(Type.Object({ name: Type.String(), version: Type.String() })),
  /** Such as `2026-07-28`. */
  protocol_version: nullable(Type.String()),
  instructions: nullable(Type.String()),
  tools: Type.Array(
    Type.Object({
      name: Type.String(),
      title: nullable(Type.String()),
      description: nullable(Type.String()),
      /** As MCP names them: `readOnlyHint`, `destructiveHint` … */
      annotations: nullable(Type.Object({}, { additionalProperties: Type.Boolean() })),
    }),
  ),
  tools_count: Count,
  resources_count: Count,
  prompts_count: Count,
  /** What is wrong with some of what it offers, such as tools that are none; null where nothing is. */
  warning: nullable(Type.String()),
  duration_ms: Type.Number(),
  /** Why it did not go well: UPSTREAM_SIGN_IN_NEEDED where the server wants a credential or a sign-in. */
  problem: nullable(Type.Object({ code: Type.String(), message: Type.String(), cure: Type.String() })),
});
/** See {@link HubConnectionProbed}. */
export type HubConnectionProbed = Static<typeof HubConnectionProbed>;

/**
 * POST /hubs/{hub}/connections/{connection}/sign-in, from a browser only (owners where one sign-in serves the whole hub, else
 * everybody for themselves): where the browser has to go. It comes back by `GET /hubs/sign-in`, which leads to
 * `/hubs/{hub}/connections?signed_in=<name>`, or `?problem=<code>&connection=<name>`. DELETE …/sign-in forgets a sign-in.
 */
export const HubSignInBegun = Type.Object({ authorization_url: Type.String(), expires_at: Moment });
/** See {@link HubSignInBegun}. */
export type HubSignInBegun = Static<typeof HubSignInBegun>;

/** POST /hubs/{hub}/tools/call (members and owners): as if a client of the caller had called it; it stands in the audit. */
export const HubToolCall = Type.Object({
  /** As clients call it, `<connection>__<tool>`. */
  name: Type.String({ minLength: 1, maxLength: 300 }),
  arguments: Type.Optional(JsonObject),
});
/** See {@link HubToolCall}. */
export type HubToolCall = Static<typeof HubToolCall>;

/** Answer to it. Refusals are problems: HUB_CALL_DENIED, HUB_TOOL_UNKNOWN, HUB_CALL_ASKS, UPSTREAM_*, AUDIT_UNAVAILABLE. */
export const HubToolCalled = Type.Object({
  /** The MCP result: `content`, `structuredContent` … */
  result: JsonObject,
  is_error: Type.Boolean(),
  duration_ms: Type.Number(),
  /** As it stands in the audit. */
  outcome: Type.Union([Type.Literal('ok'), Type.Literal('tool_error')]),
});
/** See {@link HubToolCalled}. */
export type HubToolCalled = Static<typeof HubToolCalled>;

/** GET /hubs/{hub}/tools/offered (members and owners): what the caller's clients would be offered, for a page that calls by hand. */
export const HubToolsOffered = Type.Object({
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
  /** Connections whose tools are not here, and why. */
  missing: Type.Array(Type.Object({ connection: Type.String(), code: Type.String(), message: Type.String() })),
});
/** See {@link HubToolsOffered}. */
export type HubToolsOffered = Static<typeof HubToolsOffered>;

/** The policy of a hub and the definitions of its tools, under /api/v1/hubs/{hub}. */
import { type Static, Type } from '@sinclair/typebox';
import { nullable, Timestamp } from '../schemas.ts';

const closed = { additionalProperties: false } as const;
/** A tool as callers name it, `<connection>__<tool>`; `*` stands for any characters. */
const ToolPattern = Type.String({ minLength: 1, maxLength: 200 });
const ToolPatterns = Type.Array(ToolPattern, { maxItems: 200 });

/** A role may call tools in `allow` (all without it) that are not in `deny`; with `read_only`, only tools that only read. */
export const RoleRules = Type.Object(
  {
    allow: Type.Optional(ToolPatterns),
    deny: Type.Optional(ToolPatterns),
    read_only: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type RoleRules = Static<typeof RoleRules>;

/** Arguments of these tools must match the schema: JSON Schema without references. A refused caller gets `message`. */
export const ArgumentRule = Type.Object(
  {
    tools: ToolPattern,
    schema: Type.Record(Type.String(), Type.Unknown()),
    message: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
  },
  closed,
);
export type ArgumentRule = Static<typeof ArgumentRule>;

/** How often these tools may be called per token, per person, or per tool over all callers. */
export const CallLimit = Type.Object(
  {
    per: Type.Union([Type.Literal('token'), Type.Literal('person'), Type.Literal('tool')]),
    tools: Type.Optional(ToolPattern),
    calls_a_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    at_once: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  },
  closed,
);
export type CallLimit = Static<typeof CallLimit>;

/** The policy of a hub. Omitted members are as in the default policy. */
export const HubPolicyDocument = Type.Object(
  {
    roles: Type.Optional(
      Type.Object(
        { owner: Type.Optional(RoleRules), member: Type.Optional(RoleRules), viewer: Type.Optional(RoleRules) },
        closed,
      ),
    ),
    arguments: Type.Optional(Type.Array(ArgumentRule, { maxItems: 100 })),
    limits: Type.Optional(Type.Array(CallLimit, { maxItems: 50 })),
    bounds: Type.Optional(
      Type.Object(
        {
          argument_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 16_777_216 })),
          answer_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 104_857_600 })),
          timeout_s: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600 })),
        },
        closed,
      ),
    ),
    audit: Type.Optional(
      Type.Object(
        {
          keep_arguments: Type.Optional(Type.Boolean()),
          /** Names of fields, anywhere in the arguments, in any spelling of capitals and hyphens. */
          hide_fields: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 200 })),
          /** JSON pointers (RFC 6901). */
          hide: Type.Optional(
            Type.Array(Type.String({ pattern: '^(/([^~/]|~[01])*)+$', maxLength: 300 }), { maxItems: 200 }),
          ),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type HubPolicyDocument = Static<typeof HubPolicyDocument>;

/** GET /hubs/{hub}/policy. Revision 0 is the default policy. */
export const HubPolicy = Type.Object({
  revision: Type.Integer({ minimum: 0 }),
  document: HubPolicyDocument,
  changed_at: nullable(Timestamp),
  changed_by: nullable(Type.String()),
});
export type HubPolicy = Static<typeof HubPolicy>;

/** PUT /hubs/{hub}/policy. `if_revision` refuses the change unless the hub has that revision. */
export const UpdateHubPolicyRequest = Type.Object({
  document: HubPolicyDocument,
  if_revision: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type UpdateHubPolicyRequest = Static<typeof UpdateHubPolicyRequest>;

/** POST /hubs/{hub}/policy/trial: how the policy would have decided the calls since then. */
export const HubPolicyTrialRequest = Type.Object({ document: HubPolicyDocument, since: Type.Optional(Timestamp) });

const TrialGroup = Type.Object({
  tool: Type.String(),
  person: Type.String(),
  reason: Type.String(),
  calls: Type.Integer({ minimum: 1 }),
  /** The first audit entries of the group. */
  seqs: Type.Array(Type.Integer(), { maxItems: 5 }),
});

export const HubPolicyTrialResult = Type.Object({
  since: Timestamp,
  /** Calls that were evaluated; `is_partial` when there were more than one trial evaluates. */
  calls: Type.Integer({ minimum: 0 }),
  is_partial: Type.Boolean(),
  /** Calls that the policy would refuse although they were allowed; by tool, person and reason, most calls first. */
  refused: Type.Array(TrialGroup),
  /** Calls that it would allow although they were refused. */
  allowed: Type.Array(TrialGroup),
  /** Calls with an argument rule whose arguments were not stored. */
  unknown: Type.Integer({ minimum: 0 }),
});
export type HubPolicyTrialResult = Static<typeof HubPolicyTrialResult>;

/** A suspicious property of a tool's definition. */
export const ToolFlag = Type.Object({
  kind: Type.Union([
    Type.Literal('hidden_characters'),
    Type.Literal('imitates'),
    Type.Literal('oversized'),
    Type.Literal('similar'),
  ]),
  message: Type.String(),
});
export type ToolFlag = Static<typeof ToolFlag>;

/** GET /hubs/{hub}/tools: the definition of each tool of a connection. `held`: it cannot be called before an owner approves it. */
export const HubTool = Type.Object({
  connection: Type.String(),
  tool: Type.String(),
  state: Type.Union([Type.Literal('approved'), Type.Literal('held')]),
  /** The approved definition; null when none was approved yet. */
  approved: nullable(Type.Unknown()),
  /** The current definition of its server; null when it equals the approved one. An approval names its digest. */
  waiting: nullable(Type.Unknown()),
  waiting_digest: nullable(Type.String()),
  /** Line diff of both definitions, with `-` for removed and `+` for added lines. */
  difference: Type.Array(Type.String()),
  flags: Type.Array(ToolFlag),
  seen_at: Timestamp,
  changed_at: nullable(Timestamp),
  approved_by: nullable(Type.String()),
});
export type HubTool = Static<typeof HubTool>;

/** POST /hubs/{hub}/tools/approve: from now on the definition with this digest, and no other, may be called. */
export const ApproveHubToolRequest = Type.Object({
  connection: Type.String({ minLength: 1, maxLength: 100 }),
  tool: Type.String({ minLength: 1, maxLength: 300 }),
  digest: Type.String({ minLength: 1, maxLength: 100 }),
});
export type ApproveHubToolRequest = Static<typeof ApproveHubToolRequest>;

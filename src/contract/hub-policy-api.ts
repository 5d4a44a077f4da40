/** What a hub allows, and what its connections' tools say of themselves, under /api/v1/hubs/{hub}. */
import { type Static, Type } from '@sinclair/typebox';
import { Moment, nullable } from './words.ts';

const closed = { additionalProperties: false } as const;
/** A tool as callers name it, `<connection>__<tool>`; `*` stands for any characters. */
const ToolPattern = Type.String({ minLength: 1, maxLength: 200 });
const ToolPatterns = Type.Array(ToolPattern, { maxItems: 200 });

/** What a role may call: what `allow` lists (everything, without it) and `deny` does not; `read_only`: what only reads. */
export const RoleRules = Type.Object(
  {
    allow: Type.Optional(ToolPatterns),
    deny: Type.Optional(ToolPatterns),
    read_only: Type.Optional(Type.Boolean()),
  },
  closed,
);
/** See {@link RoleRules}. */
export type RoleRules = Static<typeof RoleRules>;

/** Arguments of these tools must fit the schema: JSON Schema without references, as `message` says to whoever is refused. */
export const ArgumentRule = Type.Object(
  {
    tools: ToolPattern,
    schema: Type.Record(Type.String(), Type.Unknown()),
    message: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
  },
  closed,
);
/** See {@link ArgumentRule}. */
export type ArgumentRule = Static<typeof ArgumentRule>;

/** How often these tools may be called by each token, by each person, or each tool by everybody. */
export const CallLimit = Type.Object(
  {
    per: Type.Union([Type.Literal('token'), Type.Literal('person'), Type.Literal('tool')]),
    tools: Type.Optional(ToolPattern),
    calls_a_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    at_once: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  },
  closed,
);
/** See {@link CallLimit}. */
export type CallLimit = Static<typeof CallLimit>;

/** What a hub allows. What is left out is as in the default policy. */
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
/** See {@link HubPolicyDocument}. */
export type HubPolicyDocument = Static<typeof HubPolicyDocument>;

/** GET /hubs/{hub}/policy. Revision 0 is the default one. */
export const HubPolicy = Type.Object({
  revision: Type.Integer({ minimum: 0 }),
  document: HubPolicyDocument,
  changed_at: nullable(Moment),
  changed_by: nullable(Type.String()),
});
/** See {@link HubPolicy}. */
export type HubPolicy = Static<typeof HubPolicy>;

/** PUT /hubs/{hub}/policy. `if_revision` refuses the change where the hub has another. */
export const HubPolicyWrite = Type.Object({
  document: HubPolicyDocument,
  if_revision: Type.Optional(Type.Integer({ minimum: 0 })),
});
/** See {@link HubPolicyWrite}. */
export type HubPolicyWrite = Static<typeof HubPolicyWrite>;

/** POST /hubs/{hub}/policy/trial: what would have become of the calls since then. */
export const HubPolicyTrialNew = Type.Object({ document: HubPolicyDocument, since: Type.Optional(Moment) });

const TrialGroup = Type.Object({
  tool: Type.String(),
  person: Type.String(),
  reason: Type.String(),
  calls: Type.Integer({ minimum: 1 }),
  /** Entries of the audit, the first ones. */
  seqs: Type.Array(Type.Integer(), { maxItems: 5 }),
});

/** Answer to a trial. */
export const HubPolicyTrial = Type.Object({
  since: Moment,
  /** Calls that were looked at; `is_partial` where there were more than one trial looks at. */
  calls: Type.Integer({ minimum: 0 }),
  is_partial: Type.Boolean(),
  /** Calls that the policy would refuse, though they were let through; by tool, person and reason, the most first. */
  refused: Type.Array(TrialGroup),
  /** Calls that it would let through, though they were refused. */
  allowed: Type.Array(TrialGroup),
  /** Calls whose arguments a rule looks at and of which nothing is kept. */
  unknown: Type.Integer({ minimum: 0 }),
});
/** See {@link HubPolicyTrial}. */
export type HubPolicyTrial = Static<typeof HubPolicyTrial>;

/** What is odd about a tool's definition. */
export const ToolFlag = Type.Object({
  kind: Type.Union([
    Type.Literal('hidden_characters'),
    Type.Literal('imitates'),
    Type.Literal('oversized'),
    Type.Literal('similar'),
  ]),
  message: Type.String(),
});
/** See {@link ToolFlag}. */
export type ToolFlag = Static<typeof ToolFlag>;

/** GET /hubs/{hub}/tools: what each tool of a connection says of itself. `held`: nobody may call it before an owner approves. */
export const HubTool = Type.Object({
  connection: Type.String(),
  tool: Type.String(),
  state: Type.Union([Type.Literal('approved'), Type.Literal('held')]),
  /** As approved; null where it was held back from the beginning. */
  approved: nullable(Type.Unknown()),
  /** As its server says now; null where that is what was approved. Its digest is what an approval names. */
  waiting: nullable(Type.Unknown()),
  waiting_digest: nullable(Type.String()),
  /** Lines of both definitions, `-` before those that went and `+` before those that came. */
  difference: Type.Array(Type.String()),
  flags: Type.Array(ToolFlag),
  seen_at: Moment,
  changed_at: nullable(Moment),
  approved_by: nullable(Type.String()),
});
/** See {@link HubTool}. */
export type HubTool = Static<typeof HubTool>;

/** POST /hubs/{hub}/tools/approve: the definition with this digest, and no other, may be called from now on. */
export const HubToolApproval = Type.Object({
  connection: Type.String({ minLength: 1, maxLength: 100 }),
  tool: Type.String({ minLength: 1, maxLength: 300 }),
  digest: Type.String({ minLength: 1, maxLength: 100 }),
});
/** See {@link HubToolApproval}. */
export type HubToolApproval = Static<typeof HubToolApproval>;

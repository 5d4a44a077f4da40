/** The policy of a hub and the definitions of its tools, under /api/v1/hubs/{hub}. */
import { type Static, Type } from '@sinclair/typebox';
import { nullable, Timestamp } from '../schemas.ts';

const closed = { additionalProperties: false } as const;
/** A tool as callers name it, `<connection>__<tool>`; `*` stands for any characters. */
const ToolPattern = Type.String({ minLength: 1, maxLength: 200 });
const ToolPatterns = Type.Array(ToolPattern, { maxItems: 200 });

/**
 * A role may use what is in `allow` (everything without it) and not in `deny`: tools and prompts as `<connection>__<name>`, resources as
 * `<connection>__<uri>`. With `read_only`, only tools that only read.
 */
export const RoleRules = Type.Object(
  {
    allow: Type.Optional(ToolPatterns),
    deny: Type.Optional(ToolPatterns),
    read_only: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type RoleRules = Static<typeof RoleRules>;

/** A name or an id; `*` stands for any characters. */
const CallerPatterns = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: 100 });

/**
 * Narrows what some callers may do: whoever matches each of the named members needs the permission of this rule too, besides that of the
 * role. `clients` are the ids and names of OAuth clients, and the names that clients send themselves, which nothing proves.
 */
export const CallerRule = Type.Object(
  {
    people: Type.Optional(CallerPatterns),
    tokens: Type.Optional(CallerPatterns),
    clients: Type.Optional(CallerPatterns),
    ...RoleRules.properties,
  },
  closed,
);
export type CallerRule = Static<typeof CallerRule>;

/**
 * Calls of these tools must match the schema: JSON Schema without references. A refused caller gets `message`. `part` is what is checked:
 * the arguments, the members of `_meta`, or each answer to a question of the server (elicitation, sampling, roots).
 */
export const ArgumentRule = Type.Object(
  {
    tools: ToolPattern,
    part: Type.Optional(Type.Union([Type.Literal('arguments'), Type.Literal('meta'), Type.Literal('answers')])),
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

/**
 * How much may be used in a day or a month, which begin at 00:00 UTC, by each person, by each token or OAuth client of a person, through each
 * connection, or by the whole hub. Calls that are sent to a server count, and their bytes: those of requests and answers; one token is
 * estimated for four bytes. With `tools`, only calls of these tools count. No call begins beyond `calls`; a call that begins below `bytes` or
 * `estimated_tokens` may end above.
 */
export const UsageBudget = Type.Object(
  {
    per: Type.Union([Type.Literal('person'), Type.Literal('token'), Type.Literal('connection'), Type.Literal('hub')]),
    period: Type.Union([Type.Literal('day'), Type.Literal('month')]),
    tools: Type.Optional(ToolPattern),
    calls: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000_000 })),
    estimated_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000_000_000_000 })),
  },
  closed,
);
export type UsageBudget = Static<typeof UsageBudget>;

/**
 * Calls of these tools wait for an approval of exactly this call. Approvers are members of the hub with one of the roles, or named by id or
 * e-mail address (people choose their names themselves); owners, if neither is given. Nobody approves a call of their own. Where several
 * rules match a tool, an approver needs to be one under each of them, and the shorter times hold.
 */
export const ApprovalRule = Type.Object(
  {
    tools: ToolPattern,
    roles: Type.Optional(
      Type.Array(Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer')]), {
        minItems: 1,
        maxItems: 3,
      }),
    ),
    people: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: 100 })),
    /** How long a request can be decided, and its approval be used. */
    valid_s: Type.Optional(Type.Integer({ minimum: 10, maximum: 604_800 })),
    /** How long the caller's request is held until it is answered that the call waits for an approval. */
    hold_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 300 })),
  },
  closed,
);
export type ApprovalRule = Static<typeof ApprovalRule>;

const NewItems = Type.Union([Type.Literal('hold'), Type.Literal('offer')]);

/** The policy of a hub. Omitted members are as in the default policy. */
export const HubPolicyDocument = Type.Object(
  {
    roles: Type.Optional(
      Type.Object(
        { owner: Type.Optional(RoleRules), member: Type.Optional(RoleRules), viewer: Type.Optional(RoleRules) },
        closed,
      ),
    ),
    callers: Type.Optional(Type.Array(CallerRule, { maxItems: 100 })),
    arguments: Type.Optional(Type.Array(ArgumentRule, { maxItems: 100 })),
    limits: Type.Optional(Type.Array(CallLimit, { maxItems: 50 })),
    budgets: Type.Optional(Type.Array(UsageBudget, { maxItems: 30 })),
    approvals: Type.Optional(Type.Array(ApprovalRule, { maxItems: 100 })),
    /** Whether approvers are offered tools with which they decide in a form of their MCP client. */
    approve_by_client: Type.Optional(Type.Union([Type.Literal('offer'), Type.Literal('refuse')])),
    bounds: Type.Optional(
      Type.Object(
        {
          /** Limit for the arguments, and for the answers to questions of the server. */
          argument_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 16_777_216 })),
          /** Limit for `_meta`. */
          meta_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 16_777_216 })),
          answer_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 104_857_600 })),
          timeout_s: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600 })),
        },
        closed,
      ),
    ),
    /** Whether a tool that a known connection adds later waits for an owner, or is offered unless it is suspicious. */
    new_tools: Type.Optional(NewItems),
    /** The same for prompts. */
    new_prompts: Type.Optional(NewItems),
    /** The same for resources and resource templates. */
    new_resources: Type.Optional(NewItems),
    /** Which resources may be read: those that their server lists or has a template for, or any. */
    resources: Type.Optional(Type.Union([Type.Literal('listed'), Type.Literal('any')])),
    /** Whether the memory service can be called at its own address, under the same rules as its connection. */
    direct_memory: Type.Optional(Type.Union([Type.Literal('offer'), Type.Literal('refuse')])),
    /** How many streams of notifications may be open at once, and how many resources watched. Those that are open stay. */
    listeners: Type.Optional(
      Type.Object(
        {
          streams_per_person: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
          streams_per_hub: Type.Optional(Type.Integer({ minimum: 1, maximum: 4000 })),
          resources_per_person: Type.Optional(Type.Integer({ minimum: 1, maximum: 2000 })),
          resources_per_hub: Type.Optional(Type.Integer({ minimum: 1, maximum: 2000 })),
        },
        closed,
      ),
    ),
    audit: Type.Optional(
      Type.Object(
        {
          keep_arguments: Type.Optional(Type.Boolean()),
          /** Whether `_meta` is recorded, in a row of its own. Otherwise it is only where a rule checks it. */
          keep_meta: Type.Optional(Type.Boolean()),
          /** Whether lists, `initialize`, subscriptions and refused messages are recorded too, and not only calls. */
          lists: Type.Optional(Type.Boolean()),
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

/**
 * PUT /hubs/{hub}/policy. `if_revision` is the revision that the change was made from: another person's change since then is not
 * overwritten, and the refusal (409) has the policy in force and the one that the change was made from in `diagnostics`.
 * `accept_unknown_tools` confirms that the policy names tools that no connection offers, `accept_unknown_callers` that it names people,
 * tokens or clients that the hub does not know.
 */
export const UpdateHubPolicyRequest = Type.Object({
  document: HubPolicyDocument,
  if_revision: Type.Integer({ minimum: 0 }),
  accept_unknown_tools: Type.Optional(Type.Boolean()),
  accept_unknown_callers: Type.Optional(Type.Boolean()),
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
  /** Calls that were sent and that the policy would hold until somebody approves them. */
  held: Type.Array(TrialGroup),
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
    Type.Literal('orders'),
    Type.Literal('new_tool'),
    Type.Literal('new_item'),
  ]),
  message: Type.String(),
});
export type ToolFlag = Static<typeof ToolFlag>;

/** What a server lists. */
const DefinitionKind = Type.Union([
  Type.Literal('tool'),
  Type.Literal('prompt'),
  Type.Literal('resource'),
  Type.Literal('template'),
]);
export type DefinitionKind = Static<typeof DefinitionKind>;

/**
 * GET /hubs/{hub}/tools: the definition of each tool of a connection, or of each prompt, resource or resource template. `held`: it cannot be
 * used before an owner approves it.
 */
export const HubTool = Type.Object({
  connection: Type.String(),
  kind: DefinitionKind,
  /** The name of a tool or prompt, the URI of a resource, or the URI template of a template. */
  tool: Type.String(),
  state: Type.Union([Type.Literal('approved'), Type.Literal('held')]),
  /**
   * Whether its server listed it when its list was last read. Null where it was not read since the control plane started, and where
   * each person signs in at the server, which may list other definitions for each.
   */
  listed: nullable(Type.Boolean()),
  /** The approved definition; null when none was approved yet. */
  approved: nullable(Type.Unknown()),
  /** The current definition of its server; null when it equals the approved one. An approval names its digest. */
  waiting: nullable(Type.Unknown()),
  /** Null also for a definition that is too large to be reviewed, and so cannot be approved. */
  waiting_digest: nullable(Type.String()),
  /**
   * Both definitions whole, line by line in order: `-` for removed, `+` for added lines, a space for the others; empty when nothing
   * waits. Characters that cannot be seen stand as `⟦U+200B⟧`, runs of spaces and empty lines as `⟦40×U+0020⟧`.
   */
  difference: Type.Array(Type.String()),
  /** The characters that are marked in the waiting definition, and how often. */
  marks: Type.Array(Type.Object({ character: Type.String(), count: Type.Integer({ minimum: 1 }) })),
  flags: Type.Array(ToolFlag),
  seen_at: Timestamp,
  changed_at: nullable(Timestamp),
  approved_by: nullable(Type.String()),
});
export type HubTool = Static<typeof HubTool>;

/** GET /hubs/{hub}/tools: tools in every state, unless something else is named. */
export const HubToolQuery = Type.Object({
  kind: Type.Optional(Type.Union([...DefinitionKind.anyOf, Type.Literal('any')])),
  state: Type.Optional(Type.Union([Type.Literal('approved'), Type.Literal('held')])),
});
export type HubToolQuery = Static<typeof HubToolQuery>;

/** POST /hubs/{hub}/tools/approve: from now on the definition with this digest, and no other, may be used. */
export const ApproveHubToolRequest = Type.Object({
  connection: Type.String({ minLength: 1, maxLength: 100 }),
  /** A tool, unless another kind is named. */
  kind: Type.Optional(DefinitionKind),
  tool: Type.String({ minLength: 1, maxLength: 4096 }),
  digest: Type.String({ minLength: 1, maxLength: 100 }),
});
export type ApproveHubToolRequest = Static<typeof ApproveHubToolRequest>;

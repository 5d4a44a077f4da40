/** How a hub is used, under /api/v1/hubs/{hub}/usage. */
import { type Static, Type } from '@sinclair/typebox';
import { nullable, Timestamp } from '../schemas.ts';
import { UsageBudget } from './policy-api.ts';

export const usageGroupings = ['person', 'client', 'tool', 'connection', 'token', 'day'] as const;
/** `token`: also OAuth clients. `day`: in UTC. */
export const UsageGrouping = Type.Union(usageGroupings.map((name) => Type.Literal(name)));
export type UsageGrouping = (typeof usageGroupings)[number];

/** GET /hubs/{hub}/usage: of the last seven days, unless a time is named. */
export const HubUsageQuery = Type.Object({
  by: Type.Optional(UsageGrouping),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
});

const counts = {
  /** All calls, also those that were refused. */
  calls: Type.Integer({ minimum: 0 }),
  /** The tool or its server failed, did not answer in time, or its answer is not known. */
  errors: Type.Integer({ minimum: 0 }),
  /** Refused by the hub. */
  denied: Type.Integer({ minimum: 0 }),
  cancelled: Type.Integer({ minimum: 0 }),
  /** Of the calls that were sent; null without any. */
  p50_ms: nullable(Type.Number()),
  p95_ms: nullable(Type.Number()),
  request_bytes: Type.Integer({ minimum: 0 }),
  answer_bytes: Type.Integer({ minimum: 0 }),
  /** An estimate: one token for four bytes of requests and answers. */
  estimated_tokens: Type.Integer({ minimum: 0 }),
};

export const HubUsageItem = Type.Object({ id: Type.String(), name: Type.String(), ...counts });
export type HubUsageItem = Static<typeof HubUsageItem>;

export const HubUsage = Type.Object({
  by: UsageGrouping,
  /** True if the time has more calls than one request counts: those since `from` are counted. */
  is_partial: Type.Boolean(),
  from: Timestamp,
  to: Timestamp,
  total: Type.Object(counts),
  /** Most calls first, days in order; at most 1000. */
  items: Type.Array(HubUsageItem),
});
export type HubUsage = Static<typeof HubUsage>;

/** Below a budget, near its end (80 % and more), or at its end: further calls are refused. */
const BudgetState = Type.Union([Type.Literal('ok'), Type.Literal('warning'), Type.Literal('used_up')]);

/** What somebody has used of a budget since its period began. */
export const HubBudget = Type.Object({
  /** The position of the budget in `budgets` of the policy, from 0. */
  position: Type.Integer({ minimum: 0 }),
  budget: UsageBudget,
  /** The id of the person, connection or hub, and the name of the token; `name` is for people to read. */
  subject: Type.String(),
  name: Type.String(),
  calls: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0 }),
  estimated_tokens: Type.Integer({ minimum: 0 }),
  /** Of the amount that is nearest to its end. */
  used_percent: Type.Number({ minimum: 0 }),
  state: BudgetState,
  since: Timestamp,
  resets_at: Timestamp,
});
export type HubBudget = Static<typeof HubBudget>;

/** GET /hubs/{hub}/budgets: nearest to its end first. Budgets that nobody has used have no item. */
export const HubBudgetList = Type.Object({
  budgets: Type.Array(UsageBudget),
  items: Type.Array(HubBudget),
});
export type HubBudgetList = Static<typeof HubBudgetList>;

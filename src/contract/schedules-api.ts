/** What runs by itself: /api/v1/instances/{instance}/schedules. */
import { type Static, Type } from '@sinclair/typebox';
import { nullable, RunIdSchema, TargetVersion, Timestamp } from './schemas.ts';

export const ScheduleId = Type.String({ pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', minLength: 1, maxLength: 60 });

const definitionMembers = {
  /** Five fields (minute, hour, day of month, month, day of week), or a name such as `@daily`. */
  cron: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  /** `15m`, `6h`, `1d`, counted from 1970 in UTC. */
  every: Type.Optional(Type.String({ minLength: 2, maxLength: 6 })),
  /** Instead of times: a signed webhook, or another version of the target in a run of the instance. */
  on: Type.Optional(Type.Union([Type.Literal('webhook'), Type.Literal('new_version')])),
  /** IANA name for `cron`; UTC by default. */
  time_zone: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
  /** The request is sent up to this many seconds later, always the same for one tick. */
  jitter_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 3600 })),
  /** Ids; `*` stands for any characters. With neither `scenarios` nor `tags`, every scenario. */
  scenarios: Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Za-z0-9*][A-Za-z0-9._*-]*$', maxLength: 100 }), { maxItems: 200 }),
  ),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50 })),
  /** Nothing is requested while runs of the tick before wait or run; true by default with times, false for webhooks, always true for versions. */
  skip_if_running: Type.Optional(Type.Boolean()),
  /** Ticks while nothing ran: one late request (by default), or none. */
  missed: Type.Optional(Type.Union([Type.Literal('run_once'), Type.Literal('skip')])),
  description: Type.Optional(Type.String({ maxLength: 500 })),
};

export const ScheduleDefinition = Type.Object(definitionMembers, { additionalProperties: false });
export type ScheduleDefinition = Static<typeof ScheduleDefinition>;

const NamedDefinition = Type.Object({ schedule_id: ScheduleId, ...definitionMembers }, { additionalProperties: false });
export const CreateScheduleRequest = NamedDefinition;
export type CreateScheduleRequest = Static<typeof CreateScheduleRequest>;

/** `requested_late`: after missed ticks. `skipped`: earlier runs were not over. `failed`: no scenario matched. */
const tickOutcomes = ['requested', 'requested_late', 'skipped', 'missed', 'failed'] as const;

export const ScheduleTick = Type.Object({
  /** When it was due; for webhooks and new versions, when it was noticed. */
  due_at: Timestamp,
  handled_at: Timestamp,
  outcome: Type.Union(tickOutcomes.map((outcome) => Type.Literal(outcome))),
  note: nullable(Type.String()),
  run_ids: Type.Array(RunIdSchema),
});
export type ScheduleTick = Static<typeof ScheduleTick>;

export const Schedule = Type.Object({
  schedule_id: ScheduleId,
  instance: Type.String(),
  definition: ScheduleDefinition,
  /** `file`: of a `schedules.yaml`, where it is changed. */
  source: Type.Union([Type.Literal('person'), Type.Literal('file')]),
  paused: Type.Boolean(),
  /** Who paused it, and when. */
  paused_by: nullable(Type.String()),
  paused_at: nullable(Type.String()),
  /** The next five times, without jitter; empty while it is paused and without times. */
  next: Type.Array(Timestamp),
  /** Scenarios of the catalogue that a request now would have. */
  matching_scenarios: Type.Integer({ minimum: 0 }),
  /** Ids and `tag <tag>` of the definition that no scenario of the catalogue has: they are not verified. */
  unmatched: Type.Array(Type.String()),
  last_tick: nullable(ScheduleTick),
  created_at: Timestamp,
  created_by: Type.String(),
  updated_at: Timestamp,
  updated_by: Type.String(),
});
export type Schedule = Static<typeof Schedule>;

/** With the newest fifty ticks. */
export const ScheduleDocument = Type.Composite([Schedule, Type.Object({ ticks: Type.Array(ScheduleTick) })]);
export type ScheduleDocument = Static<typeof ScheduleDocument>;

/** `webhook_secret` is returned only here, for `on: webhook`. */
export const CreateScheduleResponse = Type.Object({
  schedule: ScheduleDocument,
  webhook_secret: Type.Optional(Type.String()),
});
export type CreateScheduleResponse = Static<typeof CreateScheduleResponse>;

/** Checks a definition and says when it would be due. */
export const PreviewScheduleResponse = Type.Object({
  next: Type.Array(Timestamp),
  matching_scenarios: Type.Integer({ minimum: 0 }),
});
export type PreviewScheduleResponse = Static<typeof PreviewScheduleResponse>;

/** The whole `schedules.yaml`: schedules that came from a file and are not in it any more are removed. */
export const ImportSchedulesRequest = Type.Object({ schedules: Type.Array(NamedDefinition, { maxItems: 200 }) });
export type ImportSchedulesRequest = Static<typeof ImportSchedulesRequest>;

export const ImportSchedulesResponse = Type.Object({
  schedules: Type.Array(
    Type.Object({
      schedule_id: ScheduleId,
      outcome: Type.Union(
        (['created', 'updated', 'unchanged', 'removed'] as const).map((outcome) => Type.Literal(outcome)),
      ),
    }),
  ),
});
export type ImportSchedulesResponse = Static<typeof ImportSchedulesResponse>;

/** The body of a signed webhook. */
export const ScheduleWebhookRequest = Type.Object({ target_version: Type.Optional(TargetVersion) });
export type ScheduleWebhookRequest = Static<typeof ScheduleWebhookRequest>;

export const ScheduleWebhookResponse = Type.Object({
  outcome: ScheduleTick.properties.outcome,
  note: nullable(Type.String()),
  run_ids: Type.Array(RunIdSchema),
});
export type ScheduleWebhookResponse = Static<typeof ScheduleWebhookResponse>;

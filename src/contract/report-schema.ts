/** The schema of a report on the wire; its type is `Report` of report/, and the compiler checks that they agree. */
import { type Static, Type } from '@sinclair/typebox';
import type { Report } from '../report/report.ts';
import { nullable, RunIdSchema, RunOriginSchema, RunQuarantineSchema, TargetVersion, Timestamp } from './schemas.ts';

const Headers = Type.Array(Type.Tuple([Type.String(), Type.String()]), { maxItems: 2000 });
const Millis = Type.Number({ minimum: 0 });
const Excerpt = nullable(Type.String({ maxLength: 20_000 }));

const checkLocation = { text: Type.String(), line: Type.Integer(), column: Type.Integer() };
const checkFinding = {
  expected: Excerpt,
  actual: Excerpt,
  pointer: nullable(Type.String()),
  follows_from_status: Type.Optional(Type.Literal(true)),
  step: Type.Optional(Type.String()),
};

const CheckSource = Type.Union([Type.Literal('response'), Type.Literal('database'), Type.Literal('log')]);
const CheckSchema = Type.Object({
  ...checkLocation,
  kind: Type.String(),
  outcome: Type.Union([Type.Literal('passed'), Type.Literal('failed'), Type.Literal('not_judged')]),
  counted: Type.Boolean(),
  looks_at: CheckSource,
  ...checkFinding,
});

const ExchangeSchema = Type.Object({
  request: nullable(
    Type.Object({ method: Type.String(), url: Type.String(), headers: Headers, body: nullable(Type.String()) }),
  ),
  response: nullable(
    Type.Object({
      status: Type.Integer(),
      headers: Headers,
      body: Type.Object({ text: nullable(Type.String()), size_bytes: Type.Integer(), truncated: Type.Boolean() }),
    }),
  ),
});

const stepOutcomes = ['passed', 'failed', 'not_judged', 'not_sent', 'not_known'] as const;

const StepSchema = Type.Object({
  name: Type.String(),
  line: Type.Integer(),
  outcome: Type.Union(stepOutcomes.map((outcome) => Type.Literal(outcome))),
  problem: nullable(Type.String()),
  cure: nullable(Type.String()),
  checks: Type.Array(CheckSchema, { maxItems: 1000 }),
  exchange: ExchangeSchema,
  attempts: nullable(Type.Integer({ minimum: 1 })),
  concurrent: Type.Optional(
    Type.Object({ requests: Type.Integer({ minimum: 2 }), passed: Type.Integer({ minimum: 0 }) }),
  ),
  at_ms: Type.Optional(Millis),
  total_ms: nullable(Millis),
});

const FailedCheckSchema = Type.Object({ ...checkLocation, ...checkFinding });

const CaseSchema = Type.Object({
  name: Type.String(),
  line: Type.Integer(),
  outcome: Type.Union(stepOutcomes.map((outcome) => Type.Literal(outcome))),
  problem: nullable(Type.String()),
  cure: nullable(Type.String()),
  correlation_id: Type.String({ maxLength: 200 }),
  observed_status: nullable(Type.Integer()),
  check_count: Type.Integer({ minimum: 0 }),
  failed_checks: Type.Array(FailedCheckSchema, { maxItems: 1000 }),
  exchange: nullable(ExchangeSchema),
  total_ms: nullable(Millis),
});

const ShortText = nullable(Type.String({ maxLength: 4000 }));
const Count = Type.Integer({ minimum: 0 });

const LogSchema = Type.Object({
  line_count: Count,
  error_count: Count,
  saga_event_count: Count,
  lines: Type.Array(
    Type.Object({
      text: Type.String(),
      level: nullable(Type.String()),
      error: Type.Boolean(),
      saga_event: Type.Boolean(),
      at_ms: Type.Optional(Millis),
    }),
    { maxItems: 1000 },
  ),
  problem: ShortText,
  cure: ShortText,
  errors_unknown: Type.Optional(Type.Object({ problem: Type.String(), cure: Type.String() })),
  unseen: Type.Optional(Type.Array(Type.Object({ member: Type.String(), field: Type.String() }), { maxItems: 10 })),
  process_started_at: Type.Optional(Timestamp),
  image: Type.Optional(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })),
  waited_ms: Millis,
});

const QuerySchema = Type.Object({
  name: Type.String(),
  line: Type.Integer(),
  sql: Type.String(),
  columns: Type.Array(Type.String(), { maxItems: 2000 }),
  rows: Type.Array(Type.Array(nullable(Type.String())), { maxItems: 1000 }),
  row_count: Count,
  truncated: Type.Boolean(),
  at_ms: Type.Optional(Millis),
  duration_ms: Millis,
  problem: ShortText,
  cure: ShortText,
});

const proofVerdicts = ['proven', 'covered', 'never_fails', 'not_tried'] as const;

const ProofSchema = Type.Object({
  changes: Count,
  checks: Type.Array(
    Type.Object({
      text: Type.String(),
      line: Type.Integer(),
      verdict: Type.Union(proofVerdicts.map((verdict) => Type.Literal(verdict))),
      changes: Count,
      noticed: Count,
      covered_by: Type.Array(Type.Integer(), { maxItems: 1000 }),
      example: ShortText,
      advice: ShortText,
    }),
    { maxItems: 1000 },
  ),
  unchecked: Type.Array(
    Type.Object({
      pointer: Type.String(),
      value: Type.String(),
      suggestion: Type.String(),
      note: Type.Optional(Type.String({ maxLength: 4000 })),
    }),
    { maxItems: 1000 },
  ),
  problem: ShortText,
});

/** Of TRIGGER and of 30 steps. */
const maxChecks = 31_000;

/** See `report/report.ts` for what each field means. */
export const ReportSchema = Type.Object({
  report_version: Type.Literal(1),
  run_id: RunIdSchema,
  correlation_id: Type.String({ maxLength: 200 }),
  instance: Type.String(),
  scenario: Type.Object({
    id: Type.String(),
    title: Type.String(),
    layer: Type.String(),
    tags: Type.Array(Type.String()),
    revision: nullable(Type.Integer()),
    owner: Type.Optional(Type.String()),
    links: Type.Optional(Type.Array(Type.String())),
  }),
  origin: RunOriginSchema,
  result: nullable(Type.Union([Type.Literal('passed'), Type.Literal('failed')])),
  quarantine: Type.Optional(RunQuarantineSchema),
  failure: nullable(Type.Object({ kind: Type.String(), message: Type.String(), cure: Type.String() })),
  observed_status: nullable(Type.Integer()),
  target_version: Type.Optional(TargetVersion),
  assertions_enforced_count: Count,
  evidence_assertions_count: Count,
  checks: Type.Array(CheckSchema, { maxItems: maxChecks }),
  failed_checks: Type.Array(FailedCheckSchema, { maxItems: maxChecks }),
  notes: Type.Array(Type.String()),
  exchange: ExchangeSchema,
  attempts: Type.Optional(Type.Integer({ minimum: 1 })),
  steps: Type.Optional(Type.Array(StepSchema, { maxItems: 100 })),
  cleanup: Type.Optional(Type.Array(StepSchema, { maxItems: 100 })),
  cases: Type.Optional(Type.Array(CaseSchema, { maxItems: 1000 })),
  displayed_case: Type.Optional(Type.String()),
  log: nullable(LogSchema),
  queries: Type.Array(QuerySchema, { maxItems: 20 }),
  proof: nullable(ProofSchema),
  timings: Type.Object({
    queued_ms: Millis,
    connect_ms: nullable(Millis),
    first_byte_ms: nullable(Millis),
    body_ms: nullable(Millis),
    before_ms: Type.Optional(Millis),
    total_ms: Millis,
    evidence_ms: nullable(Millis),
  }),
  started_at: Timestamp,
  finished_at: Timestamp,
  executor_version: Type.String(),
});

type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** Fails to compile when schema and type differ. */
export const reportSchemaMatchesReport: IsSame<Static<typeof ReportSchema>, Report> = true;

/** The schema of a report on the wire; its type is `Report` of report/, and the compiler holds the two together. */
import { type Static, Type } from '@sinclair/typebox';
import type { Report } from '../report/report.ts';
import { Moment, nullable, Origin, RunIdText } from './words.ts';

const Headers = Type.Array(Type.Tuple([Type.String(), Type.String()]), { maxItems: 2000 });
const Millis = Type.Number({ minimum: 0 });
const Excerpt = nullable(Type.String({ maxLength: 20_000 }));

const checkPlace = { text: Type.String(), line: Type.Integer(), column: Type.Integer() };
const checkFinding = { expected: Excerpt, actual: Excerpt, pointer: nullable(Type.String()) };

const CheckSchema = Type.Object({
  ...checkPlace,
  kind: Type.String(),
  outcome: Type.Union([Type.Literal('passed'), Type.Literal('failed'), Type.Literal('not_judged')]),
  counted: Type.Boolean(),
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

/** See `report/report.ts` for what each field means. */
export const ReportSchema = Type.Object({
  report_version: Type.Literal(1),
  run_id: RunIdText,
  correlation_id: Type.String({ maxLength: 200 }),
  instance: Type.String(),
  scenario: Type.Object({
    id: Type.String(),
    title: Type.String(),
    layer: Type.String(),
    tags: Type.Array(Type.String()),
    revision: nullable(Type.Integer()),
  }),
  origin: Origin,
  result: nullable(Type.Union([Type.Literal('passed'), Type.Literal('failed')])),
  failure: nullable(Type.Object({ kind: Type.String(), message: Type.String(), cure: Type.String() })),
  observed_status: nullable(Type.Integer()),
  assertions_enforced_count: Type.Integer({ minimum: 0 }),
  checks: Type.Array(CheckSchema, { maxItems: 1000 }),
  failed_checks: Type.Array(Type.Object({ ...checkPlace, ...checkFinding }), { maxItems: 1000 }),
  notes: Type.Array(Type.String()),
  exchange: ExchangeSchema,
  timings: Type.Object({
    queued_ms: Millis,
    connect_ms: nullable(Millis),
    first_byte_ms: nullable(Millis),
    body_ms: nullable(Millis),
    total_ms: Millis,
  }),
  started_at: Moment,
  finished_at: Moment,
  executor_version: Type.String(),
});

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** Proof for the compiler that schema and type say the same. */
export const reportSchemaIsReport: Same<Static<typeof ReportSchema>, Report> = true;

/** The newest result of each scenario: GET /api/v1/instances/{instance}/scenario-results. */
import { type Static, Type } from '@sinclair/typebox';
import { Run } from './api.ts';
import { nullable, ScenarioId, Timestamp } from './schemas.ts';

/** A scenario of the catalogue with its newest run that passed or failed; null before the first one. */
export const ScenarioResult = Type.Object({
  scenario_id: ScenarioId,
  title: Type.String(),
  /** The ids that it had before it was renamed: its runs under them count, and stay listed with them. */
  former_ids: Type.Array(ScenarioId),
  last_run: nullable(Run),
  /** When the first of the present series of failed runs was requested; null unless the last run failed. */
  failing_since: nullable(Timestamp),
  /** Number of failed runs since then; from 1,000 on they are not counted. */
  failed_runs: Type.Integer({ minimum: 0 }),
});
export type ScenarioResult = Static<typeof ScenarioResult>;

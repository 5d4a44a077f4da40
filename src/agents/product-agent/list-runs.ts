import { Type } from '@sinclair/typebox';
import { runStates } from '../../run/state.ts';
import { CursorInput, LimitInput, ScenarioIdInput } from '../input.ts';
import { listRuns } from '../runs/list-runs.ts';
import { readOnly, tool } from '../tool.ts';

/** Runs of the instance. */
export const listRunsOfProduct = tool({
  name: 'product__list_runs',
  description:
    'Runs of this instance, newest first, with what failed; of one scenario or state. Then product__get_run_report.',
  input: Type.Object({
    scenario_id: Type.Optional(ScenarioIdInput),
    state: Type.Optional(Type.Union(runStates.map((state) => Type.Literal(state)))),
    limit: LimitInput,
    cursor: CursorInput,
  }),
  annotations: readOnly,
  async handle({ scenario_id, state, limit, cursor }, ports, context) {
    const states = state === undefined ? undefined : [state];
    const next = 'Read one with product__get_run_report.';
    return listRuns(ports, context, { scenario: scenario_id, states, limit, cursor, next });
  },
});

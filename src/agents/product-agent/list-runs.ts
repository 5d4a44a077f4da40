import { Type } from '@sinclair/typebox';
import { runStates } from '../../run/state.ts';
import { listInstanceRuns } from '../runs/list-runs.ts';
import { CursorInput, LimitInput, ScenarioIdInput } from '../tools/input-schemas.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

export const listProductRunsTool = createTool({
  name: 'product__list_runs',
  description:
    'Runs of this instance, newest first, with failures; optionally of one scenario or state. Then product__get_run_report.',
  input: Type.Object({
    scenario_id: Type.Optional(ScenarioIdInput),
    state: Type.Optional(Type.Union(runStates.map((state) => Type.Literal(state)))),
    limit: LimitInput,
    cursor: CursorInput,
  }),
  annotations: readOnlyAnnotations,
  async handle({ scenario_id, state, limit, cursor }, ports, context) {
    const states = state === undefined ? undefined : [state];
    const next = 'Read one with product__get_run_report.';
    return listInstanceRuns(ports, context, { scenario: scenario_id, states, limit, cursor, next });
  },
});

import { Type } from '@sinclair/typebox';
import { runStates } from '../../run/state.ts';
import { CursorInput, LimitInput, ScenarioIdInput } from '../input.ts';
import { listRuns } from '../runs/list-runs.ts';
import { spanOf } from '../runs/suite.ts';
import { readOnly, tool } from '../tool.ts';

/** Runs of the instance, or of one suite. */
export const listRunsOfAuthor = tool({
  name: 'author__list_runs',
  description: 'Runs, newest first, with what failed; of one scenario, state, or suite (from author__request_suite).',
  input: Type.Object({
    scenario_id: Type.Optional(ScenarioIdInput),
    state: Type.Optional(Type.Union(runStates.map((state) => Type.Literal(state)))),
    suite: Type.Optional(Type.String()),
    limit: LimitInput,
    cursor: CursorInput,
  }),
  annotations: readOnly,
  async handle({ scenario_id, state, suite, limit, cursor }, ports, context) {
    const span = suite === undefined ? {} : spanOf(suite);
    const states = state === undefined ? undefined : [state];
    const next = 'Read one with author__get_run_status.';
    return listRuns(ports, context, { scenario: scenario_id, states, ...span, limit, cursor, next });
  },
});

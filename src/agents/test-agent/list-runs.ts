import { Type } from '@sinclair/typebox';
import { runStates } from '../../run/state.ts';
import { listInstanceRuns } from '../runs/list-runs.ts';
import { parseSuiteTimeRange } from '../runs/suite.ts';
import { CursorInput, LimitInput, ScenarioIdInput } from '../tools/input-schemas.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

export const listAuthorRunsTool = createTool({
  name: 'author__list_runs',
  description:
    'Runs, newest first, with failures; optionally of one scenario, state, or suite (from author__request_suite).',
  input: Type.Object({
    scenario_id: Type.Optional(ScenarioIdInput),
    state: Type.Optional(Type.Union(runStates.map((state) => Type.Literal(state)))),
    suite: Type.Optional(Type.String()),
    limit: LimitInput,
    cursor: CursorInput,
  }),
  annotations: readOnlyAnnotations,
  async handle({ scenario_id, state, suite, limit, cursor }, ports, context) {
    const span = suite === undefined ? {} : parseSuiteTimeRange(suite);
    const states = state === undefined ? undefined : [state];
    const next = 'Read one with author__get_run_status.';
    return listInstanceRuns(ports, context, { scenario: scenario_id, states, ...span, limit, cursor, next });
  },
});

import { Type } from '@sinclair/typebox';
import type { ScenarioEntry } from '../../contract/api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { AgentPorts } from '../ports.ts';
import { formatSuite } from '../runs/suite.ts';
import { formatQuantity, joinLines } from '../tools/result-text.ts';
import { createTool, type ToolContext } from '../tools/tool.ts';

const maxRuns = 200;
/** Run ids listed in the text of the result. */
const maxListedRuns = 50;

/** Queues many runs: all or none. */
export const requestSuiteTool = createTool({
  name: 'author__request_suite',
  description:
    'Queue many scenarios: all, those with all tags, or those of ids. Wait with author__get_run_status on last_run_id, then author__list_runs with suite.',
  input: Type.Object({
    tags: Type.Optional(Type.Array(Type.String())),
    ids: Type.Optional(Type.Array(Type.String())),
    prove: Type.Optional(Type.Boolean()),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async handle({ tags, ids, prove }, ports, context) {
    const scenarioIds = ids ?? (await listIdsByTags(tags ?? [], ports, context));
    if (scenarioIds.length === 0) throw vpError('AGENT_SUITE_EMPTY', { filter: describeSelection(tags, ids) });
    if (scenarioIds.length > maxRuns)
      throw vpError('AGENT_SUITE_TOO_LARGE', { count: scenarioIds.length, max: maxRuns });
    const input = { scenarios: scenarioIds.map((id) => ({ id })), ...(prove ? { prove } : {}) };
    const runs = await ports.control.runs.request(context.instance, input, { signal: context.signal });
    const requested = runs.map(({ run_id, scenario_id }) => ({ run_id, scenario_id }));
    const suite = formatSuite(requested.map(({ run_id }) => run_id));
    const last = requested.at(-1)?.run_id ?? null;
    const text = joinLines(
      `${formatQuantity(requested.length, 'run')} queued, suite ${suite}`,
      ...requested.slice(0, maxListedRuns).map(({ run_id, scenario_id }) => `${run_id}  ${scenario_id}`),
      requested.length > maxListedRuns && `… ${requested.length - maxListedRuns} more in author__list_runs`,
      `Next: author__get_run_status with run_id ${last} (the last one), then author__list_runs with suite ${suite}.`,
    );
    return { text, data: { suite, last_run_id: last, count: requested.length, runs: requested } };
  },
});

async function listIdsByTags(tags: readonly string[], { control }: AgentPorts, { instance, signal }: ToolContext) {
  const all = await control.scenarios.listAll(instance, { signal });
  const hasAllTags = ({ tags: scenarioTags }: ScenarioEntry): boolean =>
    tags.every((tag) => scenarioTags.includes(tag));
  return all.filter(hasAllTags).map(({ scenario_id }) => scenario_id);
}

function describeSelection(tags: readonly string[] | undefined, ids: readonly string[] | undefined): string {
  if (ids) return 'no ids were given';
  return tags && tags.length > 0 ? `the tags ${tags.join(', ').slice(0, 200)}` : 'it is empty';
}

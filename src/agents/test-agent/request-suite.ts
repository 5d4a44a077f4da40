import { Type } from '@sinclair/typebox';
import type { RunDocument, ScenarioEntry } from '../../contract/api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { isFinalState } from '../../run/state.ts';
import type { AgentPorts } from '../ports.ts';
import { getOwnRun } from '../runs/run-entry.ts';
import { formatSuite } from '../runs/suite.ts';
import { formatSuiteRuns, summarizeRun } from '../runs/suite-result.ts';
import { waitForOwnRun } from '../runs/wait-for-run.ts';
import { formatQuantity, joinLines } from '../tools/result-text.ts';
import { createTool, type ToolContext } from '../tools/tool.ts';

const maxRuns = 200;
/** Runs listed with their reports in one result. */
const maxListedRuns = 50;
/** Below the time that clients wait for an answer, which is a minute in most. */
const defaultWaitS = 45;

/** Queues many runs, all or none, and waits for their end. */
export const requestSuiteTool = createTool({
  name: 'author__request_suite',
  description:
    'Run many scenarios (all, those with all tags, or those of ids), wait (wait_s, default 45), and answer with all failures and, with prove, what no check looks at. If it has not ended: author__get_run_status on last_run_id, then author__list_runs with suite.',
  input: Type.Object({
    tags: Type.Optional(Type.Array(Type.String())),
    ids: Type.Optional(Type.Array(Type.String())),
    prove: Type.Optional(Type.Boolean()),
    wait_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 120 })),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async handle({ tags, ids, prove, wait_s = defaultWaitS }, ports, context) {
    const scenarioIds = ids ?? (await listIdsByTags(tags ?? [], ports, context));
    if (scenarioIds.length === 0) throw vpError('AGENT_SUITE_EMPTY', { filter: describeSelection(tags, ids) });
    if (scenarioIds.length > maxRuns)
      throw vpError('AGENT_SUITE_TOO_LARGE', { count: scenarioIds.length, max: maxRuns });
    const input = { scenarios: scenarioIds.map((id) => ({ id })), ...(prove ? { prove } : {}) };
    const requested = await ports.control.runs.request(context.instance, input, { signal: context.signal });
    const runIds = requested.map(({ run_id }) => run_id);
    const suite = formatSuite(runIds);
    const last = runIds.at(-1) ?? '';
    if (wait_s > 0) await waitForOwnRun(ports, context, last, wait_s * 1000);
    const runs = await readRuns(runIds, ports, context);
    const results = runs.map(summarizeRun);
    const ended = runs.filter(({ state }) => isFinalState(state)).length;
    const notPassed = results.filter(({ outcome }) => outcome !== 'passed');
    const quarantined = notPassed.filter(({ isQuarantined }) => isQuarantined).length;
    const failed = notPassed.length - quarantined;
    const apart = quarantined === 0 ? '' : `, ${quarantined} not passed in quarantine`;
    const rest = runIds.length - runs.length;
    const text = joinLines(
      ended === runs.length
        ? `${formatQuantity(runs.length, 'run')} ended, ${failed} not passed${apart}, suite ${suite}`
        : `${ended} of ${formatQuantity(runs.length, 'run')} ended, suite ${suite}`,
      ...formatSuiteRuns(results),
      rest > 0 && `${rest} more in author__list_runs with suite ${suite}.`,
      ended < runs.length &&
        `Next: author__get_run_status with run_id ${last} (the last one), then author__list_runs with suite ${suite}.`,
    );
    const listed = runs.map(({ run_id, scenario_id, state }) => ({ run_id, scenario_id, state }));
    return { text, data: { suite, last_run_id: last, count: runIds.length, ended, failed, quarantined, runs: listed } };
  },
});

/** The first ones with their reports, one after the other: a large suite must not occupy the control plane. */
async function readRuns(runIds: readonly string[], ports: AgentPorts, context: ToolContext): Promise<RunDocument[]> {
  const runs: RunDocument[] = [];
  for (const runId of runIds.slice(0, maxListedRuns)) runs.push(await getOwnRun(ports, context, runId));
  return runs;
}

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

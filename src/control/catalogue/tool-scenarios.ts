/** Runs the scenarios that call a tool of a hub in this process, without an executor and without a record of a run. */
import type { ToolScenarioResult } from '../../contract/hubs/tool-verification-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import { judge } from '../../judge/judge.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { Evidence } from '../../run/evidence.ts';
import { formatCorrelationId, formatRunId } from '../../run/run-id.ts';
import { parseToolOutcome, type ToolOutcome, toReceivedResponse } from '../../run/tool-outcome.ts';
import { bindArguments } from '../../scenario/bind.ts';
import { parseScenario } from '../../scenario/parse.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { hasSteps } from '../../scenario/steps.ts';
import { listScenariosWithText, type ScenarioOfInstance } from '../../store/control/instances/scenario-texts.ts';
import { withTimeout } from '../../timing/timeout.ts';
import type { CallTool, ToolScenarios } from '../control.ts';
import type { ControlRuntime } from '../runtime.ts';

const maxScenarios = 50;
const maxActualLength = 200;

export function createToolScenarios({ context }: ControlRuntime): ToolScenarios {
  return {
    toOutcome: parseToolOutcome,
    async run(tool, call, signal) {
      const rows = await context.store.database.read((sql) => listScenariosWithText(sql, tool));
      const matching = rows.flatMap((row) => {
        const scenario = parseScenario(row.text, { variables: 'any' }, () => {});
        return scenario?.trigger.tool === tool ? [{ row, scenario }] : [];
      });
      const results: ToolScenarioResult[] = [];
      for (const { row, scenario } of matching.slice(0, maxScenarios)) {
        signal.throwIfAborted();
        results.push(await runScenario(context, row, scenario, call, signal));
      }
      return { results, omitted: Math.max(0, matching.length - maxScenarios) };
    },
  };
}

async function runScenario(
  { clock, random }: ControlRuntime['context'],
  row: ScenarioOfInstance,
  scenario: Scenario,
  call: CallTool,
  signal: AbortSignal,
): Promise<ToolScenarioResult> {
  const facts = { instance: row.instance_id, scenario: row.scenario_id, revision: row.revision ?? 0 };
  const broken = (message: string): ToolScenarioResult => ({ ...facts, outcome: 'broken', message, checks: [] });
  if (hasSteps(scenario) || scenario.until || scenario.cases.length > 0)
    return broken('it has steps, cases, a cleanup or a repetition, which only executors send');
  if (scenario.checks.some(({ check }) => check.kind === 'schema'))
    return broken('it has a check of a schema, which only executors judge');
  const startedAtMs = clock.nowMs();
  const startMonotonicMs = clock.monotonicMs();
  const values = {
    origin: '',
    correlationId: formatCorrelationId(formatRunId(startedAtMs), random.token(6)),
    variables: {},
  };
  const { timeoutMs } = scenario;
  try {
    const args: Record<string, unknown> = JSON.parse(bindArguments(scenario.trigger.body, values));
    const outcome = await withTimeout({ clock, timeoutMs, signal }, (limited) => call(args, limited));
    if ('kind' in outcome) return broken(outcome.message);
    const totalMs = clock.monotonicMs() - startMonotonicMs;
    return { ...facts, ...toResult(judge(scenario, toEvidence(outcome, startedAtMs, totalMs))) };
  } catch (error) {
    if (signal.aborted) throw error;
    // A variable of the scenario has its value in the executor's configuration only.
    return broken(error instanceof VpError || error instanceof Error ? error.message : String(error));
  }
}

function toEvidence(outcome: ToolOutcome, startedAtMs: number, totalMs: number): Evidence {
  return {
    startedAtMs,
    request: undefined,
    response: toReceivedResponse(outcome),
    failure: undefined,
    timings: { connectMs: 0, firstByteMs: totalMs, bodyMs: totalMs, totalMs },
  };
}

function toResult({ result, failure, checks }: Verdict): Pick<ToolScenarioResult, 'outcome' | 'message' | 'checks'> {
  const isJudged = result === 'passed' || checks.some(({ outcome }) => outcome?.passed === false);
  return {
    outcome: result === 'passed' ? 'passed' : isJudged ? 'failed' : 'broken',
    message: failure?.message ?? null,
    checks: checks.map(({ text, outcome }) => ({
      text,
      passed: outcome?.passed ?? null,
      actual: outcome?.passed === false ? outcome.actual.slice(0, maxActualLength) : null,
    })),
  };
}

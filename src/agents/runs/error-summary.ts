/** Groups the failures and error log lines of a period. */
import type { Run } from '../../contract/api.ts';
import type { ScenarioResult } from '../../contract/scenario-results-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { Report } from '../../report/report.ts';
import { formatRunId } from '../../run/run-id.ts';
import { getRunOutcome } from '../../run/state.ts';
import type { AgentPorts } from '../ports.ts';
import { formatQuantity, joinLines, truncate } from '../tools/result-text.ts';
import type { ToolContext, ToolOutput } from '../tools/tool.ts';
import { compareBatches, formatBatches } from './batches.ts';
import { formatTarget } from './target-process.ts';

/** Limits: runs examined, reports read for their log lines, groups reported, scenarios listed in a group. */
const limits = { runs: 1000, reports: 20, groups: 12, scenarios: 20, slowest: 5 } as const;

/** The summary of the last `sinceH` hours. */
export async function summarizeErrors(ports: AgentPorts, context: ToolContext, sinceH: number): Promise<ToolOutput> {
  const since = new Date(ports.clock.nowMs() - sinceH * 3_600_000).toISOString();
  const { items: runs, isComplete } = await listRunsSince(ports, context, since);
  const failed = runs.filter(({ state }) => state === 'failed');
  const results = await readScenarioResults(ports, context);
  const reports = await readReports(ports, context, failed.slice(0, limits.reports));
  const batches = compareBatches(runs, (id) => results.get(id)?.scenario_id ?? id);
  const groups = groupBy(failed, getFailureKey).slice(0, limits.groups);
  const failures: FailureEntry[] = [];
  for (const group of groups)
    failures.push(await buildFailureEntry(group, results.get(group.first.scenario_id), ports, context));
  const errors = groupBy(reports.flatMap(listErrorLines), ({ level, message }) => `${level ?? ''} ${message}`)
    .slice(0, limits.groups)
    .map(({ items, first }) => ({ ...first, count: items.length }));
  const slowest = listSlowestRuns(runs);
  const errorsUnknown = reports.find(({ log }) => log?.errors_unknown)?.log?.errors_unknown ?? null;
  const counts = { runs: runs.length, failed: failed.length, reports_read: reports.length, complete: isComplete };
  return {
    text: formatSummary({ sinceH, ...counts, failures, errors, errorsUnknown, slowest, batches }),
    data: { since, ...counts, failures, errors, errors_unknown: errorsUnknown, slowest, batches },
  };
}

/** Scenarios of the catalogue by their present id and their former ones, because a run keeps the id that it had. */
async function readScenarioResults({ control }: AgentPorts, { instance, signal }: ToolContext) {
  const results = await control.runs.listScenarioResults(instance, { signal });
  return new Map(
    results.flatMap((result) => [result.scenario_id, ...result.former_ids].map((id) => [id, result] as const)),
  );
}

async function listRunsSince({ control }: AgentPorts, { instance, signal }: ToolContext, since: string) {
  // Routers list the tools without a client.
  const { readPages } = await import('../../client/transport/pages.ts');
  return readPages<Run>((page) => control.runs.list({ instance, since, ...page }, { signal }), limits.runs);
}

/** Reads reports one after another, because the control plane serves runs at the same time. */
async function readReports(
  { control }: AgentPorts,
  { signal }: ToolContext,
  failed: readonly Run[],
): Promise<Report[]> {
  const reports: Report[] = [];
  for (const { run_id } of failed) {
    const { report } = await control.runs.get(run_id, { signal });
    if (report) reports.push(report);
  }
  return reports;
}

type ItemGroup<T> = { readonly items: readonly T[]; readonly first: T };

/** Groups items by key, largest group first. */
function groupBy<T>(items: readonly T[], getKey: (item: T) => string): ItemGroup<T>[] {
  const itemsByKey = new Map<string, T[]>();
  for (const item of items) {
    const key = getKey(item);
    const group = itemsByKey.get(key);
    if (group) group.push(item);
    else itemsByKey.set(key, [item]);
  }
  const groups = [...itemsByKey.values()].flatMap((group) =>
    group[0] === undefined ? [] : [{ items: group, first: group[0] }],
  );
  return groups.sort((a, b) => b.items.length - a.items.length);
}

/** What could not be judged has one cause for all scenarios, such as a target that is away; a false check is of its scenario. */
function getFailureKey({ failure_kind, scenario_id, failure_summary, failure_message, state }: Run): string {
  const scenario = getRunOutcome(state, failure_kind) === 'broken' ? '' : scenario_id;
  return `${failure_kind} ${scenario} ${maskNumbers(failure_summary ?? failure_message ?? '')}`;
}

/** Newest first. `failing_since_target` is the process or version that the first failed run hit. */
type FailureEntry = {
  readonly kind: string | null;
  readonly scenario_id: string;
  readonly scenarios: readonly string[];
  readonly scenario_count: number;
  readonly count: number;
  readonly example: string;
  readonly newest_run_id: string;
  readonly failing_since: string | null;
  readonly first_failed_run_id: string | null;
  readonly failing_since_target: string | null;
  readonly failed_runs: number | null;
};

async function buildFailureEntry(
  { items, first }: ItemGroup<Run>,
  series: ScenarioResult | undefined,
  ports: AgentPorts,
  context: ToolContext,
): Promise<FailureEntry> {
  const { failure_kind, scenario_id, failure_summary, failure_message, run_id } = first;
  const example = truncate(failure_summary ?? failure_message ?? '', 300);
  const since = series?.failing_since ?? null;
  const firstFailed = since === null ? null : formatRunId(Date.parse(since));
  const scenarios = [...new Set(items.map((run) => run.scenario_id))];
  return {
    ...{ kind: failure_kind, scenario_id, scenarios: scenarios.slice(0, limits.scenarios) },
    ...{ scenario_count: scenarios.length, count: items.length, example, newest_run_id: run_id },
    failing_since: since,
    first_failed_run_id: firstFailed,
    failing_since_target: firstFailed === null ? null : await findTarget(firstFailed, ports, context),
    failed_runs: series?.failed_runs ?? null,
  };
}

/** Null where it is not known, or where retention has deleted the run. */
async function findTarget(runId: string, { control }: AgentPorts, { signal }: ToolContext): Promise<string | null> {
  try {
    return formatTarget(await control.runs.get(runId, { signal })) ?? null;
  } catch (error) {
    if (error instanceof VpError && error.code === 'RUN_UNKNOWN') return null;
    throw error;
  }
}

function listErrorLines({ log, run_id }: Report) {
  const lines = log?.lines.filter(({ error }) => error) ?? [];
  return lines.map(({ text, level }) => ({
    level,
    message: maskNumbers(getMessage(text)),
    example: truncate(text, 300),
    run_id,
  }));
}

/** The message of a JSON line under one of its usual names, otherwise the whole line. */
function getMessage(text: string): string {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line !== 'object' || line === null) return text;
    for (const name of ['msg', 'message', 'error']) {
      const value: unknown = Reflect.get(line, name);
      if (typeof value === 'string') return value;
    }
  } catch {
    return text;
  }
  return text;
}

/** Messages that differ only in ids, times and counts belong to one group. */
function maskNumbers(text: string): string {
  const masked = text.slice(0, 300).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\btr-[\w-]+|\d+/gi, '#');
  return truncate(masked, 200);
}

function listSlowestRuns(runs: readonly Run[]) {
  const timed = runs.filter(({ duration_ms }) => duration_ms !== null);
  const sorted = timed.toSorted((a, b) => (b.duration_ms ?? 0) - (a.duration_ms ?? 0)).slice(0, limits.slowest);
  return sorted.map(({ run_id, scenario_id, duration_ms, state }) => ({ run_id, scenario_id, state, duration_ms }));
}

type ErrorSummary = {
  readonly sinceH: number;
  readonly runs: number;
  readonly failed: number;
  readonly reports_read: number;
  readonly complete: boolean;
  readonly failures: readonly FailureEntry[];
  readonly errors: readonly (ReturnType<typeof listErrorLines>[number] & { readonly count: number })[];
  /** Why the lines of some run do not tell which are errors; null where all do. */
  readonly errorsUnknown: NonNullable<Report['log']>['errors_unknown'] | null;
  readonly slowest: ReturnType<typeof listSlowestRuns>;
  readonly batches: ReturnType<typeof compareBatches>;
};

function formatFailure(entry: FailureEntry): string {
  const { count, kind, scenario_id: scenario, example, newest_run_id: newest, scenario_count: scenarioCount } = entry;
  const others = scenarioCount === 1 ? '' : ` and ${formatQuantity(scenarioCount - 1, 'other scenario')}`;
  const target = entry.failing_since_target === null ? '' : ` on ${entry.failing_since_target}`;
  const since =
    entry.failing_since === null
      ? ''
      : `; failing since ${entry.failing_since}, first run ${entry.first_failed_run_id}${target}`;
  return `${count} × ${kind} ${scenario}${others}: ${example} (newest ${newest}${since})`;
}

function formatSummary({
  sinceH,
  runs,
  failed,
  reports_read,
  complete,
  failures,
  errors,
  errorsUnknown,
  slowest,
  batches,
}: ErrorSummary): string {
  return joinLines(
    `Last ${formatQuantity(sinceH, 'hour')}: ${formatQuantity(runs, 'run')}${complete ? '' : ' examined (the newest)'}, ${failed} failed`,
    ...failures.map(formatFailure),
    ...formatBatches(batches),
    errorsUnknown && `Which log lines are errors is not known: ${errorsUnknown.problem}. Fix: ${errorsUnknown.cure}.`,
    failed > 0 &&
      errors.length === 0 &&
      !errorsUnknown &&
      `No error lines in the logs of the ${reports_read} newest failed runs.`,
    errors.length > 0 && `Error lines in the logs of the ${reports_read} newest failed runs:`,
    ...errors.map(({ count, level, example, run_id }) => `${count} × [${level ?? '-'}] ${example} (run ${run_id})`),
    slowest.length > 0 && 'Slowest:',
    ...slowest.map(
      ({ run_id, scenario_id, duration_ms }) => `${Math.round(duration_ms ?? 0)} ms  ${scenario_id}  ${run_id}`,
    ),
    failed > 0 ? 'Next: product__get_run_report with the newest run id of a group.' : 'Nothing failed.',
  );
}

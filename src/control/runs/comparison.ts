/** Compares the runs of two versions of the target, branches or periods. */
import type { ComparedScenario, RunComparison, TargetVersionEntry } from '../../contract/comparison-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  type ComparedRun,
  type ComparisonChange,
  type ComparisonSide,
  compareRuns,
  type ScenarioComparison,
} from '../../insight/comparison.ts';
import { formatRunId } from '../../run/run-id.ts';
import { getRunOutcome } from '../../run/state.ts';
import {
  type ComparedRunRow,
  type ComparedSelection,
  findTargetVersion,
  listComparedRuns,
  listOtherVersions,
  listRenames,
  listTargetVersions,
  type TargetVersionRow,
} from '../../store/control/runs/compared-runs.ts';
import type { Database } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import type { ComparisonService } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';

/** Of each side. Measured with both full on two busy cores: 0.4 s, in steps between which other work goes on. */
const maxRuns = 20_000;
/** Versions are looked for in so many of the newest runs. */
const maxVersionRuns = 20_000;
const maxVersions = 200;

/** Without spreading: there are up to 40,000 of them. */
function toComparedRun(row: ComparedRunRow, renames: ReadonlyMap<string, string>): ComparedRun {
  let scenario = row.scenario_id;
  // The catalogue refuses a rename to an id that is in use, so that this ends; the bound is for stores that were edited.
  for (let step = 0; step < renames.size; step += 1) scenario = renames.get(scenario) ?? scenario;
  return {
    id: row.id,
    scenario,
    outcome: getRunOutcome(row.state, row.failure_kind) ?? 'cancelled',
    durationMs: row.duration_ms,
    failure: row.failure_group,
    quarantined: row.in_quarantine === 1,
  };
}

function describeSelection(selection: ComparedSelection): string {
  if (selection.kind === 'version') return `of the version ${selection.version}`;
  if (selection.kind === 'branch') return `of the branch ${selection.branch}`;
  return `from ${formatTimestamp(selection.sinceMs)} to ${formatTimestamp(selection.untilMs)}`;
}

function readSide(sql: Sql, instance: string, selection: ComparedSelection) {
  const rows = listComparedRuns(sql, instance, selection, maxRuns);
  const [newest, oldest] = [rows[0], rows.at(-1)];
  // Without runs every scenario would seem to be new, or gone.
  if (!newest || !oldest) throw vpError('COMPARISON_EMPTY', { instance, side: describeSelection(selection) });
  const renames = listRenames(sql, instance);
  return {
    runs: rows.map((row) => toComparedRun(row, renames)),
    description: {
      target_version: selection.kind === 'version' ? selection.version : null,
      branch: selection.kind === 'branch' ? selection.branch : null,
      since: formatTimestamp(oldest.id),
      until: formatTimestamp(newest.id),
      runs: rows.length,
      complete: rows.length < maxRuns,
    },
  };
}

function toScenarioSide(side: ComparisonSide | null): ComparedScenario['base'] {
  if (!side) return null;
  const { passed, failed, notJudged, p50Ms, p95Ms, newestId, failures } = side;
  return {
    ...{ passed, failed, not_judged: notJudged, p50_ms: p50Ms, p95_ms: p95Ms },
    newest_run: formatRunId(newestId),
    failures: [...failures],
  };
}

function toComparedScenario(comparison: ScenarioComparison): ComparedScenario {
  const { scenario, change, failsMoreOften, speed, speedP, medianSpeed, medianP } = comparison;
  const { base, head, newFailures, quarantined } = comparison;
  return {
    ...{ scenario_id: scenario, change, fails_more_often: failsMoreOften, speed, speed_p: speedP },
    ...{ median_speed: medianSpeed, median_p: medianP },
    ...{ base: toScenarioSide(base), head: toScenarioSide(head), new_failures: [...newFailures], quarantined },
  };
}

/** Each side is read by itself, and compared after the reads: other requests wait for a part of the work only. */
async function compareSides(
  { read }: Pick<Database, 'read'>,
  instance: string,
  base: ComparedSelection,
  head: ComparedSelection,
): Promise<RunComparison> {
  await read((sql) => requireInstance(sql, instance));
  const baseSide = await read((sql) => readSide(sql, instance, base));
  await new Promise((resolve) => setImmediate(resolve));
  const headSide = await read((sql) => readSide(sql, instance, head));
  await new Promise((resolve) => setImmediate(resolve));
  const scenarios = compareRuns(baseSide.runs, headSide.runs).map(toComparedScenario);
  const count = (matches: (scenario: ComparedScenario) => boolean): number => scenarios.filter(matches).length;
  const countChange = (name: ComparisonChange): number => count(({ change }) => change === name);
  return {
    base: baseSide.description,
    head: headSide.description,
    totals: {
      newly_failing: countChange('newly_failing'),
      flaky: countChange('flaky'),
      not_judged: countChange('not_judged'),
      failing_before: countChange('failing_before'),
      fixed: countChange('fixed'),
      added: countChange('added'),
      removed: countChange('removed'),
      unchanged: countChange('unchanged'),
    },
    slower: count(({ speed }) => speed === 'slower'),
    faster: count(({ speed }) => speed === 'faster'),
    scenarios,
  };
}

/** So that two can be compared, the version before is named too where it is older than the runs that are looked at. */
function findVersionBefore(sql: Sql, instance: string, version: string): TargetVersionRow | undefined {
  for (const other of listOtherVersions(sql, instance, version, maxVersions)) {
    const row = findTargetVersion(sql, instance, other, maxVersionRuns);
    if (row) return row;
  }
  return undefined;
}

function readTargetVersions(sql: Sql, instance: string): TargetVersionEntry[] {
  requireInstance(sql, instance);
  const rows = listTargetVersions(sql, instance, maxVersionRuns, maxVersions);
  const [only] = rows;
  const before = only && rows.length === 1 ? findVersionBefore(sql, instance, only.version) : undefined;
  return [...rows, ...(before ? [before] : [])].map((row) => ({
    target_version: row.version,
    first_seen_at: formatTimestamp(row.first_run_id),
    last_seen_at: formatTimestamp(row.last_run_id),
    passed: row.passed,
    failed: row.failed,
  }));
}

export function createComparisonService({ context: { store } }: ControlRuntime): ComparisonService {
  const { database } = store;
  return {
    compare: (instance, base, head) => compareSides(database, instance, base, head),
    listTargetVersions: (instance) => database.read((sql) => readTargetVersions(sql, instance)),
  };
}

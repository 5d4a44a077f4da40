/** Collects the results of the runs of one invocation. With --repeat, memory does not grow with the number of runs. */
import type { Clock } from '../../environment/clock.ts';
import { version } from '../../environment/version.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import {
  getExitCode,
  getOutcome,
  isQuarantined,
  type OutcomeTally,
  quarantinedLabel,
  type ReportOutcome,
} from '../../report/outcome.ts';
import { getProofOutcome } from '../../report/proof-labels.ts';
import type { Report } from '../../report/report.ts';
import type { RunResults, RunStop, ScenarioSource, UnfinishedRun } from '../../report/results.ts';
import { createLatencies, type LatencyHistogram } from './latencies.ts';

/** With --repeat only the first reports that did not pass are kept, unless files are to hold all. */
export const maxStoredFailures = 20;

/** Report files of a repetition have every report, which limits their number. */
export const maxReportedRuns = 1000;

/**
 * How often the scenarios run, whether every report is stored, whether the checks are proven, against which version of the
 * target, and when to stop.
 */
export type RunPlan = {
  readonly sets: number;
  readonly storeAll: boolean;
  readonly prove?: boolean;
  readonly targetVersion?: string | undefined;
  readonly failFast?: boolean;
  /** `sets` is only a limit: everything runs again until a run does not pass. */
  readonly untilFail?: boolean;
  /** How often a run that did not pass is retried. */
  readonly retries?: number;
};

type CountedRun = { readonly outcome: ReportOutcome; readonly scenario: string; readonly isQuarantined: boolean };

/** Reports are stored by the position of their run in the order of requests. */
export class RunCollector {
  readonly plan: RunPlan;
  readonly latencies: LatencyHistogram = createLatencies();
  readonly sources = new Map<string, ScenarioSource>();
  /** Runs whose end is unknown; set at the end. */
  unfinished: readonly UnfinishedRun[] = [];
  interrupted = false;
  /** Set when no further runs are to be started. */
  stop: RunStop | undefined;
  /** Scenarios of which every run so far passed, and those of which one did not. */
  readonly passedIds = new Set<string>();
  readonly notPassedIds = new Set<string>();
  /** The suite on a control plane, with the address of its page. */
  suite: { readonly id: string; readonly url: string } | undefined;
  /** This shard has no scenario: others have them all. */
  isEmptyShard = false;
  /** Why the results are incomplete. */
  problem: VpError | undefined;
  readonly #clock: Clock;
  #startedAtMs: number;
  #startMs: number;
  readonly #reports = new Map<number, Report>();
  readonly #withoutReport = new Map<number, UnfinishedRun>();
  /** By position; only if runs may be retried. */
  readonly #outcomes = new Map<number, CountedRun>();
  readonly #attempts = new Map<number, number>();
  readonly #proofs = { proven: 0, weak: 0, unknown: 0 };
  #unprovenCount = 0;
  #isSingleScenario = false;
  readonly #counts = { failed: 0, broken: 0, cancelled: 0, passed: 0, quarantined: 0 };
  /** Scenarios of which a run did not pass in quarantine. */
  readonly quarantinedIds = new Set<string>();

  constructor(plan: RunPlan, clock: Clock) {
    this.plan = plan;
    this.#clock = clock;
    this.#startedAtMs = clock.nowMs();
    this.#startMs = clock.monotonicMs();
  }

  /** Call it before `total` runs are requested. Throws FLAG_INVALID if report files cannot have that many. */
  start(total: number): void {
    const { sets, storeAll } = this.plan;
    if (storeAll && sets > 1 && total > maxReportedRuns) {
      const problem = `holds ${maxReportedRuns} runs at most, these are ${total}: omit it, or repeat less often`;
      throw vpError('FLAG_INVALID', { command: 'vp run', flag: '--report', problem });
    }
    this.#isSingleScenario = total === sets;
    this.#startedAtMs = this.#clock.nowMs();
    this.#startMs = this.#clock.monotonicMs();
  }

  /** Whether there are results to report, even after an error. */
  get hasResults(): boolean {
    return this.tally.total + this.unfinished.length > 0;
  }

  add(position: number, report: Report): void {
    const outcome = getOutcome(report);
    this.#count({ outcome, scenario: report.scenario.id, isQuarantined: isQuarantined(report) }, position);
    if (outcome === 'passed') this.#proofs[getProofOutcome(report.proof)] += 1;
    if (outcome === 'passed' && report.proof === null) this.#unprovenCount += 1;
    this.latencies.add(report.timings.total_ms);
    const isStored = this.plan.storeAll || (outcome !== 'passed' && this.#reports.size < maxStoredFailures);
    if (isStored) this.#reports.set(position, report);
  }

  /** For a run that ended without a report: cancelled in the queue, or its report has expired. It is counted by its outcome. */
  addWithoutReport(position: number, outcome: ReportOutcome, run: UnfinishedRun, isInQuarantine = false): void {
    this.#count(
      {
        outcome,
        scenario: run.scenarioId,
        isQuarantined: isInQuarantine && outcome !== 'cancelled' && outcome !== 'passed',
      },
      position,
    );
    this.#withoutReport.set(position, run);
    if (outcome === 'passed') this.#proofs.unknown += 1;
  }

  /** Positions of the runs that can be retried, in order; what failed in quarantine does not count, and is not. */
  listNotPassed(): number[] {
    const retryable = [...this.#outcomes].filter(
      ([, { outcome, isQuarantined: isApart }]) => !isApart && (outcome === 'failed' || outcome === 'broken'),
    );
    return retryable.map(([position]) => position).sort((a, b) => a - b);
  }

  /** Forgets the result of a run that is retried: it counts with its next attempt, or else has not finished. */
  retry(position: number): void {
    const earlier = this.#outcomes.get(position);
    if (!earlier) return;
    this.#counts[earlier.isQuarantined ? 'quarantined' : earlier.outcome] -= 1;
    this.#outcomes.delete(position);
    this.#reports.delete(position);
    this.#withoutReport.delete(position);
    this.notPassedIds.delete(earlier.scenario);
    this.#attempts.set(position, (this.#attempts.get(position) ?? 1) + 1);
  }

  /** Scenarios that passed only when they were retried. */
  get flakyIds(): string[] {
    return [...this.#outcomes].flatMap(([position, { outcome, scenario }]) =>
      outcome === 'passed' && this.#attempts.has(position) ? [scenario] : [],
    );
  }

  #count(run: CountedRun, position: number): void {
    const { outcome, scenario: scenarioId } = run;
    this.#counts[run.isQuarantined ? 'quarantined' : outcome] += 1;
    if (this.plan.retries) this.#outcomes.set(position, run);
    if (run.isQuarantined) this.quarantinedIds.add(scenarioId);
    const isAccepted = outcome === 'passed' || run.isQuarantined;
    if (!isAccepted) this.notPassedIds.add(scenarioId);
    if (this.notPassedIds.has(scenarioId)) this.passedIds.delete(scenarioId);
    else this.passedIds.add(scenarioId);
    this.#stopAfter(run, isAccepted);
  }

  /** One scenario that is repeated until it fails is looked for its failure, also in quarantine. */
  #stopAfter({ outcome, scenario, isQuarantined: isApart }: CountedRun, isAccepted: boolean): void {
    const { untilFail, failFast } = this.plan;
    const isNeeded = untilFail && this.#isSingleScenario && outcome !== 'passed';
    const flag = untilFail ? '--until-fail' : failFast ? '--fail-fast' : undefined;
    if (!flag || (isAccepted && !isNeeded)) return;
    this.stop ??= { flag, reason: `${scenario} ${isApart ? quarantinedLabel : 'did not pass'}` };
  }

  get tally(): OutcomeTally {
    const { failed, broken, cancelled, passed, quarantined } = this.#counts;
    return { ...this.#counts, total: failed + broken + cancelled + passed + quarantined };
  }

  /** Since the first run was requested. */
  get elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#startMs;
  }

  /** Completed runs per second. */
  get ratePerSecond(): number {
    const { elapsedMs } = this;
    return elapsedMs === 0 ? 0 : Math.round((this.tally.total / elapsedMs) * 1000);
  }

  get results(): RunResults {
    const inOrder = [...this.#reports].sort(([a], [b]) => a - b).map(([, report]) => report);
    const finishedAtMs = this.#startedAtMs + this.elapsedMs;
    const attempts = new Map(
      [...this.#attempts].flatMap(([position, count]) => {
        const report = this.#reports.get(position);
        return report ? [[report.run_id, count] as const] : [];
      }),
    );
    return {
      attempts,
      reports: inOrder,
      unfinished: [...this.#withoutReport.values(), ...this.unfinished],
      isProof: this.plan.prove === true,
      problem: this.problem?.message,
      startedAtMs: this.#startedAtMs,
      finishedAtMs,
      version,
      sources: this.sources,
    };
  }

  /** Call it when no more results come. Missing proofs are a problem too. */
  finish(): void {
    if (!this.plan.prove || this.#unprovenCount === 0) return;
    const runs = this.#unprovenCount === 1 ? '1 run passed' : `${this.#unprovenCount} runs passed`;
    this.problem ??= vpError('RUN_PROOF_ABSENT', { runs });
  }

  get exitCode(): ExitCode {
    if (this.interrupted) return exitCode.interrupted;
    const { tally, problem } = this;
    if (this.isEmptyShard) return problem?.row.exit ?? exitCode.done;
    const code = getExitCode({ ...tally, total: tally.total + this.unfinished.length });
    if (this.plan.prove && this.#proofs.weak > 0) return exitCode.checkFailed;
    if (code !== exitCode.done) return code;
    return problem?.row.exit ?? (this.plan.prove && this.#proofs.unknown > 0 ? exitCode.broken : code);
  }
}

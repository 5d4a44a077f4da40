/** What is known of the runs of one invocation, as it comes in; what must not grow with their number does not. */
import type { Clock } from '../../environment/clock.ts';
import { version } from '../../environment/version.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { exitCodeOf, outcomeOf, type ReportOutcome, type Tally } from '../../report/outcome.ts';
import { proofOutcome } from '../../report/proof-words.ts';
import type { Report } from '../../report/report.ts';
import type { Results, ScenarioSource, UnfinishedRun } from '../../report/results.ts';
import { type Latencies, latencies } from './latencies.ts';

/** Of a repetition only the first reports that did not pass are kept, unless files are to hold all. */
export const keptFailures = 20;

/** Files of a repetition hold every report, and so no more than these. */
export const mostReported = 1000;

/** How many times the scenarios are run, whether every report is kept, and whether the checks are to be proven. */
export type GatheringPlan = { readonly sets: number; readonly keepAll: boolean; readonly prove?: boolean };

/** Reports by the place of their run in the order in which runs were asked for. */
export class Gathering {
  readonly plan: GatheringPlan;
  readonly latencies: Latencies = latencies();
  readonly sources = new Map<string, ScenarioSource>();
  /** Runs whose end is not known; filled at the end. */
  unfinished: readonly UnfinishedRun[] = [];
  interrupted = false;
  /** What kept the others from being known. */
  problem: VpError | undefined;
  readonly #clock: Clock;
  #startedAtMs: number;
  #startMs: number;
  readonly #kept = new Map<number, Report>();
  readonly #proofs = { proven: 0, idle: 0, untold: 0 };
  #withoutProof = 0;
  readonly #counts: Record<ReportOutcome, number> = { failed: 0, broken: 0, cancelled: 0, passed: 0 };

  constructor(plan: GatheringPlan, clock: Clock) {
    this.plan = plan;
    this.#clock = clock;
    this.#startedAtMs = clock.nowMs();
    this.#startMs = clock.monotonicMs();
  }

  /** `total` runs are about to be asked for. Throws FLAG_INVALID where files cannot hold so many. */
  begin(total: number): void {
    const { sets, keepAll } = this.plan;
    if (keepAll && sets > 1 && total > mostReported) {
      const problem = `holds ${mostReported} runs at most, these are ${total}: leave it out, or repeat less often`;
      throw vpError('FLAG_INVALID', { command: 'vp run', flag: '--report', problem });
    }
    this.#startedAtMs = this.#clock.nowMs();
    this.#startMs = this.#clock.monotonicMs();
  }

  /** There is something to tell, whatever goes wrong. */
  get known(): boolean {
    return this.tally.total + this.unfinished.length > 0;
  }

  /** Takes the report of the run at `place`. */
  add(place: number, report: Report): void {
    const outcome = outcomeOf(report);
    this.#counts[outcome] += 1;
    if (outcome === 'passed') this.#proofs[proofOutcome(report.proof)] += 1;
    if (outcome === 'passed' && report.proof === null) this.#withoutProof += 1;
    this.latencies.add(report.timings.total_ms);
    const keep = this.plan.keepAll || (outcome !== 'passed' && this.#kept.size < keptFailures);
    if (keep) this.#kept.set(place, report);
  }

  /** Takes a run that ended without a report: cancelled before it began, or its report has expired. */
  addWithout(outcome: ReportOutcome): void {
    this.#counts[outcome] += 1;
    if (outcome === 'passed') this.#proofs.untold += 1;
  }

  get tally(): Tally {
    const { failed, broken, cancelled, passed } = this.#counts;
    return { failed, broken, cancelled, passed, total: failed + broken + cancelled + passed };
  }

  /** Since the first run was asked for. */
  get elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#startMs;
  }

  /** Ended runs a second. */
  get ratePerSecond(): number {
    const { elapsedMs } = this;
    return elapsedMs === 0 ? 0 : Math.round((this.tally.total / elapsedMs) * 1000);
  }

  get results(): Results {
    const inOrder = [...this.#kept].sort(([a], [b]) => a - b).map(([, report]) => report);
    const finishedAtMs = this.#startedAtMs + this.elapsedMs;
    const { unfinished, sources } = this;
    return { reports: inOrder, unfinished, startedAtMs: this.#startedAtMs, finishedAtMs, version, sources };
  }

  /** Nothing more comes: what is missing of what was asked for is a problem too. */
  end(): void {
    if (!this.plan.prove || this.#withoutProof === 0) return;
    const runs = this.#withoutProof === 1 ? '1 run passed' : `${this.#withoutProof} runs passed`;
    this.problem ??= vpError('RUN_PROOF_ABSENT', { runs });
  }

  get exitCode(): ExitCode {
    if (this.interrupted) return exitCode.interrupted;
    const { tally, problem } = this;
    const code = exitCodeOf({ ...tally, total: tally.total + this.unfinished.length });
    if (this.plan.prove && this.#proofs.idle > 0) return exitCode.checkFailed;
    if (code !== exitCode.done) return code;
    return problem?.row.exit ?? (this.plan.prove && this.#proofs.untold > 0 ? exitCode.broken : code);
  }
}

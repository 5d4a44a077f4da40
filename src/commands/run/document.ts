import { version } from '../../environment/version.ts';
import { runEntries, unfinishedEntries } from '../../report/json.ts';
import type { Gathering } from './gathering.ts';

const micros = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Times of a repetition, in milliseconds. */
function repetitionOf(gathering: Gathering) {
  const { latencies } = gathering;
  const at = (share: number): number => micros(latencies.percentile(share));
  return {
    sets: gathering.plan.sets,
    rate_per_s: gathering.ratePerSecond,
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    p99_ms: at(0.99),
    slowest_ms: micros(latencies.slowestMs),
  };
}

/** The JSON document of `vp run --json`: reports in the order in which their runs were asked for, and a summary. */
export function runDocument(gathering: Gathering): string {
  const { tally, unfinished, results, sources, problem } = gathering;
  const { total, ...counts } = tally;
  const document = {
    results_version: 1,
    vp_version: version,
    started_at: new Date(results.startedAtMs).toISOString(),
    finished_at: new Date(results.finishedAtMs).toISOString(),
    summary: {
      total: total + unfinished.length,
      ...counts,
      unfinished: unfinished.length,
      duration_ms: micros(gathering.elapsedMs),
      exit_code: gathering.exitCode,
      ...(gathering.plan.sets > 1 ? { repetition: repetitionOf(gathering) } : {}),
    },
    runs: runEntries({ reports: results.reports, sources }),
    error: problem ? { code: problem.code, message: problem.message, cure: problem.cure } : null,
    unfinished: unfinishedEntries(unfinished),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

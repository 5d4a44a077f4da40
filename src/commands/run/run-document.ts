import { version } from '../../environment/version.ts';
import { toRunEntries, toUnfinishedEntries } from '../../report/json.ts';
import type { RunCollector } from './run-collector.ts';

const roundToMicroseconds = (ms: number): number => Math.round(ms * 1000) / 1000;

function toRepetition(collector: RunCollector) {
  const { latencies } = collector;
  const percentileMs = (share: number): number => roundToMicroseconds(latencies.percentile(share));
  return {
    sets: collector.plan.sets,
    rate_per_s: collector.ratePerSecond,
    p50_ms: percentileMs(0.5),
    p95_ms: percentileMs(0.95),
    p99_ms: percentileMs(0.99),
    slowest_ms: roundToMicroseconds(latencies.slowestMs),
  };
}

/** The JSON document of `vp run --json`: a summary, and reports in the order in which their runs were requested. */
export function formatRunDocument(collector: RunCollector): string {
  const { tally, unfinished, results, sources, problem, stop } = collector;
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
      flaky: collector.flakyIds.length,
      duration_ms: roundToMicroseconds(collector.elapsedMs),
      exit_code: collector.exitCode,
      ...(collector.plan.sets > 1 ? { repetition: toRepetition(collector) } : {}),
    },
    runs: toRunEntries({ reports: results.reports, sources }),
    ...(collector.suite ? { suite: collector.suite } : {}),
    stopped: stop ?? null,
    error: problem ? { code: problem.code, message: problem.message, cure: problem.cure } : null,
    unfinished: toUnfinishedEntries(unfinished),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

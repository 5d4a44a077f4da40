import { createHash } from 'node:crypto';
import type { ExecutedResult, ExecutorMetrics } from '../metrics/executor-metrics.ts';
import type { Report } from '../report/report.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { Runner } from './execute.ts';

const judgedKinds: ReadonlySet<string> = new Set(['status_mismatch', 'body_mismatch', 'evidence_mismatch']);

/** `runner` with what it executes counted, leased and direct runs alike. */
export function measuredRunner(runner: Runner, metrics: ExecutorMetrics): Runner {
  return {
    ...runner,
    async execute(request, options) {
      const end = metrics.begin();
      try {
        const report = await runner.execute(request, options);
        end(executedOf(request, report));
        return report;
      } finally {
        end();
      }
    },
  };
}

function executedOf({ scenarioId, scenarioText }: RunRequest, report: Report) {
  const { total_ms: totalMs, evidence_ms: evidenceMs } = report.timings;
  const textKey = createHash('sha256').update(scenarioText).digest('base64url').slice(0, 16);
  return { scenarioId, textKey, result: resultOf(report), durationMs: totalMs + (evidenceMs ?? 0) };
}

function resultOf({ result, failure }: Report): ExecutedResult {
  if (result === null) return 'cancelled';
  if (result === 'passed' || (failure && judgedKinds.has(failure.kind))) return result;
  return 'not_judged';
}

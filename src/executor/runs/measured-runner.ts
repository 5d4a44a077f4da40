import { createHash } from 'node:crypto';
import type { ExecutedResult, ExecutorMetrics } from '../../metrics/executor-metrics.ts';
import type { Report } from '../../report/report.ts';
import type { RunRequest } from '../../run/run-request.ts';
import { judgedFailureKinds } from '../../run/state.ts';
import type { Runner } from './runner.ts';

/** Counts what `runner` executes, leased and direct runs alike. */
export function createMeasuredRunner(runner: Runner, metrics: ExecutorMetrics): Runner {
  return {
    ...runner,
    async execute(request, options) {
      const end = metrics.startRun();
      try {
        const report = await runner.execute(request, options);
        end(toExecutedRun(request, report));
        return report;
      } finally {
        end();
      }
    },
  };
}

function toExecutedRun({ scenarioId, scenarioText }: RunRequest, report: Report) {
  const textKey = createHash('sha256').update(scenarioText).digest('base64url').slice(0, 16);
  return { scenarioId, textKey, result: toExecutedResult(report), durationMs: report.timings.total_ms };
}

function toExecutedResult({ result, failure }: Report): ExecutedResult {
  if (result === null) return 'cancelled';
  if (result === 'passed' || (failure && judgedFailureKinds.has(failure.kind))) return result;
  return 'not_judged';
}

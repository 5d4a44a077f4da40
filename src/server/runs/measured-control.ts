import type { ControlPort } from '../../contract/executor-api.ts';
import type { Control } from '../../control/control.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { createRunMetrics, type RunMetrics } from '../../metrics/run-metrics.ts';
import { registerStoreMetrics } from '../../metrics/store-metrics.ts';
import type { Report } from '../../report/report.ts';

/** `control` that also counts its runs and times its writes, for callers over HTTP and in this process. Call it once per `metrics`. */
export function createMeasuredControl(control: Control, metrics: Metrics): Control {
  const runs = createRunMetrics(metrics, control.gauges);
  registerStoreMetrics(metrics, control.gauges);
  return {
    ...control,
    executorPort: (instance, keyHash) => createMeasuredPort(control.executorPort(instance, keyHash), runs),
  };
}

function createMeasuredPort(port: ControlPort, runs: RunMetrics): ControlPort {
  const recordReport = ({ result, timings }: Report): void =>
    runs.recordFinished({ result, queuedMs: timings.queued_ms, totalMs: timings.total_ms });
  return {
    ...port,
    async complete(message, signal) {
      const offer = await port.complete(message, signal);
      recordReport(message.report);
      return offer;
    },
    async directRun(message, signal) {
      await port.directRun(message, signal);
      recordReport(message.report);
    },
  };
}

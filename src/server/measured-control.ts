import type { ControlPort } from '../contract/executor-api.ts';
import type { Control } from '../control/control.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type RunMetrics, runMetrics } from '../metrics/run-metrics.ts';
import type { Report } from '../report/report.ts';

/** `control` with the metrics of its runs, for callers over HTTP and in this process alike. Once for each `metrics`. */
export function measuredControl(control: Control, metrics: Metrics): Control {
  const runs = runMetrics(metrics, control.gauges);
  return { ...control, executorOf: (instance) => measuredPort(control.executorOf(instance), runs) };
}

function measuredPort(port: ControlPort, runs: RunMetrics): ControlPort {
  const finished = ({ result, timings }: Report): void =>
    runs.finished({ result, queuedMs: timings.queued_ms, totalMs: timings.total_ms });
  return {
    ...port,
    async complete(message, signal) {
      const offer = await port.complete(message, signal);
      finished(message.report);
      return offer;
    },
    async directRun(message, signal) {
      await port.directRun(message, signal);
      finished(message.report);
    },
  };
}

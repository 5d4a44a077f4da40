/** Metrics of the control plane's store. */
import { controlPlaneMetrics as definitions } from './metric-definitions.ts';
import type { Metrics } from './metrics.ts';

export type StoreMetricsSource = {
  /** Rejects when the store cannot be read or written. */
  ready(): Promise<void>;
  getStoreState(): {
    readonly engine: string;
    readonly connections?: { readonly used: number; readonly open: number; readonly waiting: number };
    readonly notices?: 'hint' | 'polling';
  };
  onWritten(listener: (durationMs: number) => void): void;
};

/** From a commit in memory to one that waited for a database to come back. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function registerStoreMetrics(metrics: Metrics, source: StoreMetricsSource): void {
  const { engine } = source.getStoreState();
  const writes = metrics.histogram(definitions.storeWrites, buckets);
  source.onWritten((durationMs) => writes.observe({ engine }, durationMs / 1000));
  metrics.gauge(definitions.storeUp, async () => {
    const isUp = await source.ready().then(
      () => true,
      () => false,
    );
    return [{ labels: { engine }, value: isUp ? 1 : 0 }];
  });
  metrics.gauge(definitions.storeConnections, async () => {
    const { connections } = source.getStoreState();
    if (connections === undefined) return [];
    const { used, open } = connections;
    return [
      { labels: { state: 'used' }, value: used },
      { labels: { state: 'idle' }, value: Math.max(0, open - used) },
    ];
  });
  metrics.gauge(definitions.storeHint, async () => {
    const { notices } = source.getStoreState();
    return notices === undefined ? [] : [{ labels: {}, value: notices === 'hint' ? 1 : 0 }];
  });
  metrics.gauge(definitions.storeWaiting, async () => {
    const { connections } = source.getStoreState();
    return connections === undefined ? [] : [{ labels: {}, value: connections.waiting }];
  });
}

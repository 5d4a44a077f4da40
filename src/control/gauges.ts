import { listInstances } from '../store/control/instances/instances.ts';
import type { ControlGauges } from './control.ts';
import type { ControlRuntime } from './runtime.ts';

export function createControlGauges(runtime: ControlRuntime): ControlGauges {
  const { store, clock } = runtime.context;
  return {
    ready: () => store.database.ping(),
    async queues() {
      const rows = await store.database.read(listInstances);
      return rows.map((row) => {
        const { lastSeenAtMs } = runtime.presence.get(row);
        return {
          instance: row.id,
          queued: row.queued,
          running: row.running === null ? 0 : 1,
          lastSeenAgoMs: lastSeenAtMs === null ? null : Math.max(0, clock.nowMs() - lastSeenAtMs),
        };
      });
    },
    totals: () => runtime.totals.read(),
  };
}

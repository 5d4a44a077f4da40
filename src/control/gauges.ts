import { recordReadinessProbe } from '../store/control/control-store.ts';
import { listInstances } from '../store/control/instances/instances.ts';
import type { ControlGauges } from './control.ts';
import type { ControlRuntime } from './runtime.ts';

/** A write that succeeded stands for this long: probes of an orchestrator must not wear the disk. */
const probeValidMs = 5_000;

export function createControlGauges(runtime: ControlRuntime): ControlGauges {
  const { store, clock, assertWritable, onWritten } = runtime.context;
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  return {
    async ready() {
      await store.database.ping();
      await assertWritable();
      if (clock.monotonicMs() - writtenAtMs < probeValidMs) return;
      await store.database.write((sql) => recordReadinessProbe(sql, clock.nowMs()));
      writtenAtMs = clock.monotonicMs();
    },
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
    getStoreState: () => store.getState(),
    onWritten,
    findClockJump: () => clock.findJump(),
    totals: () => runtime.totals.read(),
  };
}

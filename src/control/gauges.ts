import { listInstances } from '../store/control/instances.ts';
import type { ControlGauges } from './control.ts';
import type { ControlParts } from './parts.ts';

/** Health and counters of a control plane. */
export function gaugesOf(parts: ControlParts): ControlGauges {
  const { store, clock } = parts.context;
  return {
    async ready() {
      await store.database.read((sql) => sql.prepare('SELECT 1').get());
    },
    async queues() {
      const rows = await store.database.read(listInstances);
      return rows.map((row) => {
        const { seenAtMs } = parts.presences.of(row);
        return {
          instance: row.id,
          queued: row.queued,
          running: row.running === null ? 0 : 1,
          seenAgoMs: seenAtMs === null ? null : Math.max(0, clock.nowMs() - seenAtMs),
        };
      });
    },
    totals: () => parts.totals.read(),
  };
}

/** How much of the cores nothing used, by the system's own counts. */
import { availableParallelism, cpus } from 'node:os';

type CoreTimes = { readonly idle: number; readonly total: number };

const readCores = (): readonly CoreTimes[] =>
  cpus().map(({ times }) => ({
    idle: times.idle,
    total: Object.values(times).reduce((sum, ms) => sum + ms, 0),
  }));

/**
 * Returns a function that gives how many cores were idle since its last call. It is 0 where this process may use only some of the machine's
 * cores, because the others' idleness is no use to it.
 */
export function createIdleCoresReader(
  read: () => readonly CoreTimes[] = readCores,
  usableCores: number = availableParallelism(),
): () => number {
  let last = read();
  return () => {
    const before = last;
    last = read();
    if (last.length !== usableCores || before.length !== last.length) return 0;
    return last.reduce((sum, { idle, total }, index) => {
      const { idle: idleBefore, total: totalBefore } = before[index] ?? { idle, total };
      return sum + (idle - idleBefore) / Math.max(total - totalBefore, 1);
    }, 0);
  };
}

import type { DrillResult } from './play-drill.ts';

/** The counts of a drill, as lines. */
export function formatDrill({ record, verdict, faults, watchers }: DrillResult): string {
  const formatCounts = (counts: Iterable<readonly [string, number]>): string =>
    [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
  const { requests, calls } = record.counts;
  const changes = watchers.reduce((sum, watcher) => sum + watcher.changes, 0);
  const connections = watchers.reduce((sum, watcher) => sum + watcher.connections, 0);
  return [
    `faults    ${formatCounts([...faults].sort())}`,
    `load      ${requests} requests, ${record.arrivals.length} sent to the target, ${calls} calls, ${record.counts['answered calls']} of them answered`,
    `runs      ${verdict.acknowledged} acknowledged, ${verdict.lost} lost, ${verdict.doubled} doubled, ${verdict.stuck} stuck`,
    `outcomes  ${formatCounts(Object.entries(verdict.outcomes))}`,
    `pages     ${changes} changes by ${connections} connections of ${watchers.length} pages`,
    `checked   ${verdict.operations} operations in ${verdict.histories} histories, ${verdict.undecided} undecided`,
    `problems  ${verdict.problems.length}`,
  ].join('\n');
}

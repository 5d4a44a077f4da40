/** Changes into what this page has loaded before, so that nothing is asked for twice. */
import type { QueryClient } from '@tanstack/react-query';
import type { ChangeEvent, Instance, Run, RunDocument } from '../../contract/api.ts';
import { isFinal } from '../../run/state.ts';
import type { RunFilter } from '../runs/filter.ts';
import { type RunPages, withRuns } from '../runs/merge.ts';

/** Applies changes in their order. */
export function applyChanges(queries: QueryClient, changes: readonly ChangeEvent[]): void {
  const runs = changes.flatMap((change) => (change.type === 'run' ? [change.run] : []));
  if (runs.length > 0) applyRuns(queries, runs);
  for (const change of changes) {
    if (change.type === 'instance') applyInstance(queries, change.instance);
    if (change.type === 'gone') void queries.invalidateQueries({ queryKey: ['instances'] });
    if (change.type === 'scenario') {
      void queries.invalidateQueries({ queryKey: ['scenarios', change.instance] });
      void queries.invalidateQueries({ queryKey: ['scenario', change.instance, change.scenario_id] });
    }
  }
}

function applyRuns(queries: QueryClient, runs: readonly Run[]): void {
  for (const [key, data] of queries.getQueriesData<RunPages>({ queryKey: ['runs'] })) {
    const filter = key[1] as RunFilter | undefined;
    if (!data || !filter) continue;
    queries.setQueryData(key, withRuns(data, runs, filter));
  }
  for (const { instance, scenario_id: scenario } of runs) {
    void queries.invalidateQueries({ queryKey: ['later', instance, scenario] });
  }
  for (const run of runs) {
    queries.setQueryData<RunDocument>(['run', run.run_id], (known) => known && { ...known, ...run });
    // The report comes with the document only.
    if (isFinal(run.state)) void queries.invalidateQueries({ queryKey: ['run', run.run_id] });
  }
}

function applyInstance(queries: QueryClient, instance: Instance): void {
  queries.setQueryData<readonly Instance[]>(['instances'], (known) => {
    if (!known) return undefined;
    const others = known.filter(({ instance_id }) => instance_id !== instance.instance_id);
    return [...others, instance].sort((a, b) => a.instance_id.localeCompare(b.instance_id));
  });
}

/** Applies changes to the query cache instead of loading everything again. */
import type { QueryClient } from '@tanstack/react-query';
import type { ChangeEvent, Instance, Run, RunDocument } from '../../contract/api.ts';
import { isFinalState } from '../../run/state.ts';
import { invalidateQuarantines } from '../quarantines/use-quarantines.ts';
import type { RunsPageFilter } from '../runs/run-filter.ts';
import { mergeRuns, type RunPages } from '../runs/run-pages.ts';
import { dropPressedResponses } from '../session/early-responses.ts';

export function applyChangeEvents(queryClient: QueryClient, changes: readonly ChangeEvent[]): void {
  // Pages ask for nothing that an executor changes by being there.
  if (changes.some(({ type }) => type !== 'instance')) dropPressedResponses();
  const runs = changes.flatMap((change) => (change.type === 'run' ? [change.run] : []));
  if (runs.length > 0) applyRuns(queryClient, runs);
  for (const change of changes) {
    if (change.type === 'instance') applyInstance(queryClient, change.instance);
    if (change.type === 'gone') void queryClient.invalidateQueries({ queryKey: ['instances'] });
    if (change.type === 'scenario') {
      void queryClient.invalidateQueries({ queryKey: ['scenarios', change.instance] });
      void invalidateQuarantines(queryClient, change.instance);
      void queryClient.invalidateQueries({ queryKey: ['deleted-scenarios', change.instance] });
      void queryClient.invalidateQueries({ queryKey: ['scenario', change.instance, change.scenario_id] });
    }
  }
}

/** Runs may have changed before the stream was open, and what failed while the control plane was away can be read again. */
export function refreshAfterConnection(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: ({ queryKey: [name], state }) => name === 'runs' || state.status === 'error',
  });
}

function applyRuns(queryClient: QueryClient, runs: readonly Run[]): void {
  for (const [key, data] of queryClient.getQueriesData<RunPages>({ queryKey: ['runs'] })) {
    const filter = key[1] as RunsPageFilter | undefined;
    if (!data || !filter) continue;
    queryClient.setQueryData(key, mergeRuns(data, runs, filter));
  }
  for (const { instance, scenario_id: scenario } of runs) {
    void queryClient.invalidateQueries({ queryKey: ['later', instance, scenario] });
  }
  for (const instance of new Set(runs.flatMap((run) => (run.suite === undefined ? [] : [run.instance]))))
    void queryClient.invalidateQueries({ queryKey: ['suites', instance] });
  for (const run of runs) {
    queryClient.setQueryData<RunDocument>(['run', run.run_id], (cached) => cached && { ...cached, ...run });
    // The change has no report: load the document.
    if (isFinalState(run.state)) {
      void queryClient.invalidateQueries({ queryKey: ['run', run.run_id] });
      void queryClient.invalidateQueries({ queryKey: ['scenario-results', run.instance] });
      void queryClient.invalidateQueries({ queryKey: ['failures', run.instance] });
    }
  }
}

function applyInstance(queryClient: QueryClient, instance: Instance): void {
  queryClient.setQueryData<readonly Instance[]>(['instances'], (cached) => {
    if (!cached) return undefined;
    const otherInstances = cached.filter(({ instance_id }) => instance_id !== instance.instance_id);
    return [...otherInstances, instance].sort((a, b) => a.instance_id.localeCompare(b.instance_id));
  });
}

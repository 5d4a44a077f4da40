import { useQuery } from '@tanstack/react-query';
import type { Run } from '../../../contract/api.ts';
import { parseRunId } from '../../../run/run-id.ts';
import { isFinalState, type RunState } from '../../../run/state.ts';
import { useClient } from '../../session/client.ts';

const pollMs = 5_000;

/** Returns a run with its report. The stream of changes updates it; its queue position is polled until the run ends. */
export function useRun(runId: string) {
  const { runs } = useClient();
  return useQuery({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => runs.get(runId, { signal }),
    staleTime: ({ state }) => (state.data && isFinalState(state.data.state) ? 300_000 : 0),
    refetchInterval: ({ state }) => (state.data && isFinalState(state.data.state) ? false : pollMs),
  });
}

type RunReference = Pick<Run, 'run_id' | 'instance' | 'scenario_id'>;

/** Returns the previous run of the same scenario, optionally in certain states only. */
export function useEarlierRun(run: RunReference | undefined, states?: readonly RunState[]) {
  const { runs } = useClient();
  return useQuery({
    queryKey: ['earlier', run?.run_id, states],
    enabled: run !== undefined,
    queryFn: async ({ signal }) => {
      const until = toTimestamp(run?.run_id, 0);
      const { items } = await runs.list(
        { instance: run?.instance, scenario: run?.scenario_id, until, states, limit: 1 },
        { signal },
      );
      return items[0] ?? null;
    },
    staleTime: 60_000,
  });
}

const maxNewerRuns = 50;

/** Returns the next run of the same scenario, or the newest one if more than `maxNewerRuns` follow. */
export function useLaterRun(run: RunReference | undefined) {
  const { runs } = useClient();
  return useQuery({
    queryKey: ['later', run?.instance, run?.scenario_id, run?.run_id],
    enabled: run !== undefined,
    queryFn: async ({ signal }) => {
      const since = toTimestamp(run?.run_id, 1);
      const { items, next_cursor: nextCursor } = await runs.list(
        { instance: run?.instance, scenario: run?.scenario_id, since, limit: maxNewerRuns },
        { signal },
      );
      return (nextCursor === null ? items.at(-1) : items[0]) ?? null;
    },
    staleTime: 0,
  });
}

function toTimestamp(runId: string | undefined, offsetMs: number): string | undefined {
  const epochMs = runId === undefined ? undefined : parseRunId(runId);
  return epochMs === undefined ? undefined : new Date(epochMs + offsetMs).toISOString();
}

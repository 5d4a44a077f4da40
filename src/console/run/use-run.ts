import { useQuery } from '@tanstack/react-query';
import type { Run } from '../../contract/api.ts';
import { epochMsOfRunId } from '../../run/run-id.ts';
import { isFinal, type RunState } from '../../run/state.ts';
import { useConnection } from '../session/connection.ts';

const waitingMs = 5_000;

/** A run with its report. The stream of changes keeps it true; while it is queued, its place in the queue is asked for. */
export function useRun(runId: string) {
  const { runs } = useConnection();
  return useQuery({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => runs.get(runId, { signal }),
    staleTime: ({ state }) => (state.data && isFinal(state.data.state) ? 300_000 : 0),
    refetchInterval: ({ state }) => (state.data && isFinal(state.data.state) ? false : waitingMs),
  });
}

type Neighbour = Pick<Run, 'run_id' | 'instance' | 'scenario_id'>;

/** The run of the same scenario before this one, optionally of some states only. */
export function useEarlierRun(run: Neighbour | undefined, states?: readonly RunState[]) {
  const { runs } = useConnection();
  return useQuery({
    queryKey: ['earlier', run?.run_id, states],
    enabled: run !== undefined,
    queryFn: async ({ signal }) => {
      const until = momentOf(run?.run_id, 0);
      const { items } = await runs.list(
        { instance: run?.instance, scenario: run?.scenario_id, until, states, limit: 1 },
        { signal },
      );
      return items[0] ?? null;
    },
    staleTime: 60_000,
  });
}

const newerLimit = 50;

/** The run after this one; where there are very many newer ones, the newest. */
export function useLaterRun(run: Neighbour | undefined) {
  const { runs } = useConnection();
  return useQuery({
    queryKey: ['later', run?.instance, run?.scenario_id, run?.run_id],
    enabled: run !== undefined,
    queryFn: async ({ signal }) => {
      const since = momentOf(run?.run_id, 1);
      const { items, next_cursor: more } = await runs.list(
        { instance: run?.instance, scenario: run?.scenario_id, since, limit: newerLimit },
        { signal },
      );
      return (more === null ? items.at(-1) : items[0]) ?? null;
    },
    staleTime: 0,
  });
}

function momentOf(runId: string | undefined, plusMs: number): string | undefined {
  const epochMs = runId === undefined ? undefined : epochMsOfRunId(runId);
  return epochMs === undefined ? undefined : new Date(epochMs + plusMs).toISOString();
}

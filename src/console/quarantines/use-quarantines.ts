import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Quarantine, SetQuarantineRequest } from '../../contract/quarantines-api.ts';
import { useClient } from '../session/client.ts';

/** By scenario. Changes of others come with the event of the scenario; that one has ended is seen within a minute. */
export function useQuarantines(instance: string) {
  const { quarantines } = useClient();
  return useQuery({
    queryKey: ['quarantines', instance],
    queryFn: ({ signal }) => quarantines.list(instance, { signal }),
    refetchInterval: 60_000,
    select: toMap,
  });
}

function toMap(items: readonly Quarantine[]): ReadonlyMap<string, Quarantine> {
  return new Map(items.map((item) => [item.scenario_id, item]));
}

const queryNames = ['quarantines', 'health', 'failures'] as const;

export async function invalidateQuarantines(queryClient: QueryClient, instance: string): Promise<void> {
  await Promise.all(queryNames.map((name) => queryClient.invalidateQueries({ queryKey: [name, instance] })));
}

export function useSetQuarantine(instance: string, scenario: string) {
  const { quarantines } = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: SetQuarantineRequest) => quarantines.set(instance, scenario, input),
    onSettled: () => invalidateQuarantines(queryClient, instance),
  });
}

export function useReleaseScenario(instance: string, scenario: string) {
  const { quarantines } = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => quarantines.release(instance, scenario),
    onSettled: () => invalidateQuarantines(queryClient, instance),
  });
}

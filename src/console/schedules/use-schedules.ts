import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CreateScheduleRequest, ScheduleDefinition } from '../../contract/schedules-api.ts';
import { useClient } from '../session/client.ts';

/** Ticks come without an event of their own. */
const refetchInterval = 15_000;

export function useSchedules(instance: string) {
  const { schedules } = useClient();
  return useQuery({
    queryKey: ['schedules', instance, 'list'],
    queryFn: ({ signal }) => schedules.list(instance, { signal }),
    refetchInterval,
  });
}

export function useSchedule(instance: string, id: string) {
  const { schedules } = useClient();
  return useQuery({
    queryKey: ['schedules', instance, 'one', id],
    queryFn: ({ signal }) => schedules.get(instance, id, { signal }),
    refetchInterval,
  });
}

/** Checks a definition while it is typed. */
export function useSchedulePreview(instance: string, definition: ScheduleDefinition) {
  const { schedules } = useClient();
  return useQuery({
    queryKey: ['schedules', instance, 'preview', definition],
    queryFn: ({ signal }) => schedules.preview(instance, definition, { signal }),
    retry: false,
  });
}

export type ScheduleAction =
  | { readonly kind: 'create'; readonly input: CreateScheduleRequest }
  | { readonly kind: 'change'; readonly id: string; readonly definition: ScheduleDefinition }
  | { readonly kind: 'pause' | 'resume' | 'remove'; readonly id: string };

/** The result is the secret of a new webhook, which is not shown again. */
export function useChangeSchedules(instance: string) {
  const { schedules } = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn(action: ScheduleAction): Promise<string | undefined> {
      if (action.kind === 'create') return (await schedules.create(instance, action.input)).webhook_secret;
      if (action.kind === 'change') await schedules.change(instance, action.id, action.definition);
      else await schedules[action.kind](instance, action.id);
      return undefined;
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['schedules', instance] }),
  });
}

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DeliveryState } from '../../../contract/notification-names.ts';
import type { ChangeChannelRequest, CreateChannelRequest } from '../../../contract/notifications-api.ts';
import { useClient } from '../../session/client.ts';

/** Messages are sent without an event of their own. */
const refetchInterval = 10_000;

export function useChannels() {
  const { notifications } = useClient();
  return useQuery({
    queryKey: ['notifications', 'channels'],
    queryFn: ({ signal }) => notifications.list({ signal }),
    refetchInterval,
  });
}

export function useDeliveries(filter: { readonly channel?: string; readonly state?: DeliveryState }) {
  const { notifications } = useClient();
  return useInfiniteQuery({
    queryKey: ['notifications', 'deliveries', filter],
    queryFn: ({ signal, pageParam }) =>
      notifications.listDeliveries({ ...filter, limit: 25, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    refetchInterval,
  });
}

export type ChannelAction =
  | { readonly kind: 'create'; readonly input: CreateChannelRequest }
  | { readonly kind: 'change'; readonly channel: string; readonly input: ChangeChannelRequest }
  | { readonly kind: 'test' | 'remove'; readonly channel: string }
  | { readonly kind: 'retry'; readonly channel: string; readonly delivery: string };

/** The result is the secret of a new webhook, which is not shown again. */
export function useChangeChannels() {
  const { notifications } = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn(action: ChannelAction): Promise<string | undefined> {
      if (action.kind === 'create') return (await notifications.create(action.input)).secret;
      if (action.kind === 'change') await notifications.change(action.channel, action.input);
      else if (action.kind === 'retry') await notifications.retry(action.channel, action.delivery);
      else await notifications[action.kind](action.channel);
      return undefined;
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['notifications'] }),
  });
}

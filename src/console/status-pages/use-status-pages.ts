import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CreateStatusPageRequest } from '../../contract/status-pages-api.ts';
import { useClient } from '../session/client.ts';

export function useStatusPages(instance: string) {
  const { statusPages } = useClient();
  return useQuery({
    queryKey: ['status-pages', instance],
    queryFn: ({ signal }) => statusPages.list(instance, { signal }),
    // Views come without an event.
    refetchInterval: 60_000,
  });
}

function useInvalidation(instance: string) {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ['status-pages', instance] });
}

export function useCreateStatusPage(instance: string) {
  const { statusPages } = useClient();
  const invalidate = useInvalidation(instance);
  return useMutation({
    mutationFn: (input: CreateStatusPageRequest) => statusPages.create(instance, input),
    onSettled: invalidate,
  });
}

type StatusPageChange = { readonly id: string; readonly until: string | undefined };

/** Without `until` the page is revoked. */
export function useChangeStatusPage(instance: string) {
  const { statusPages } = useClient();
  const invalidate = useInvalidation(instance);
  return useMutation({
    async mutationFn({ id, until }: StatusPageChange): Promise<void> {
      if (until === undefined) await statusPages.revoke(instance, id);
      else await statusPages.extend(instance, id, { until });
    },
    onSettled: invalidate,
  });
}

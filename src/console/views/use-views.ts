import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ViewPage } from '../../contract/view-limits.ts';
import type { ChangeViewRequest, CreateViewRequest, SavedView } from '../../contract/views-api.ts';
import { instancePath } from '../paths.ts';
import { useClient } from '../session/client.ts';

/** Others save views without an event. */
const refetchInterval = 60_000;

/** The views of both pages of an instance that the reader may see. */
export function useViews(instance: string | undefined) {
  const { views } = useClient();
  return useQuery({
    queryKey: ['views', instance],
    queryFn: ({ signal }) => views.list(instance ?? '', { signal }),
    enabled: instance !== undefined,
    staleTime: 10_000,
    refetchInterval,
  });
}

/** The permanent address of a view. */
export function viewPath(instance: string, { page, view_id: id }: Pick<SavedView, 'page' | 'view_id'>): string {
  return `${instancePath(instance)}/${page}?view=${encodeURIComponent(id)}`;
}

export const viewPageTitles: Readonly<Record<ViewPage, string>> = { runs: 'runs', scenarios: 'scenarios' };

type ViewAction =
  | { readonly kind: 'create'; readonly input: CreateViewRequest }
  | { readonly kind: 'change'; readonly id: string; readonly input: ChangeViewRequest }
  | { readonly kind: 'remove'; readonly id: string };

/** The result is the view as it is now; undefined after its removal. */
export function useChangeViews(instance: string) {
  const { views } = useClient();
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn(action: ViewAction): Promise<SavedView | undefined> {
      if (action.kind === 'create') return views.create(instance, action.input);
      if (action.kind === 'change') return views.change(instance, action.id, action.input);
      await views.remove(instance, action.id);
      return undefined;
    },
    onSuccess(view, action) {
      // At once: the address of a new view is opened before the list is loaded again.
      queryClient.setQueryData<readonly SavedView[]>(['views', instance], (cached = []) => {
        if (action.kind === 'create') return view ? [...cached, view] : cached;
        return cached.flatMap((other) => (other.view_id === action.id ? (view ?? []) : other));
      });
    },
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['views', instance] }),
  });
}

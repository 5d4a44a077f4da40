import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../session/client.ts';

export function usePolicy(hub: string) {
  const { hubPolicy } = useClient();
  return useQuery({ queryKey: ['hub-policy', hub], queryFn: ({ signal }) => hubPolicy.getPolicy(hub, { signal }) });
}

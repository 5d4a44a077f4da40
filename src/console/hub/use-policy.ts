import { useQuery } from '@tanstack/react-query';
import { useConnection } from '../session/connection.ts';

/** What the hub allows. */
export function usePolicy(hub: string) {
  const { hubPolicy } = useConnection();
  return useQuery({ queryKey: ['hub-policy', hub], queryFn: ({ signal }) => hubPolicy.policy(hub, { signal }) });
}

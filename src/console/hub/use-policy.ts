import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type HubPolicyClient, hubPolicyOf } from '../../client/hub-policy.ts';
import { useConnection } from '../session/connection.ts';

/** Calls of the policy's own routes. */
export function usePolicyClient(): HubPolicyClient {
  const { transport } = useConnection();
  return useMemo(() => hubPolicyOf(transport), [transport]);
}

/** What the hub allows. */
export function usePolicy(hub: string) {
  const client = usePolicyClient();
  return useQuery({ queryKey: ['hub-policy', hub], queryFn: ({ signal }) => client.policy(hub, { signal }) });
}

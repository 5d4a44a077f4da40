/** The current instance: that of the address, otherwise the last visited one. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useRoute } from 'wouter';
import type { Instance } from '../../contract/api.ts';
import { readStorage, writeStorage } from '../browser.ts';
import { useClient } from '../session/client.ts';

const storageKey = 'vp.instance';

/** Returns all instances. The stream of changes keeps them up to date. */
export function useInstances() {
  const { instances } = useClient();
  return useQuery({ queryKey: ['instances'], queryFn: ({ signal }) => instances.list({ signal }), staleTime: 60_000 });
}

/** Remembers the instance of a page for the next visit. */
export function useRememberInstance(instance: string | undefined): void {
  useEffect(() => {
    if (instance !== undefined) writeStorage(storageKey, instance);
  }, [instance]);
}

/** Returns undefined until the instances are loaded. */
export function useInstance(id: string): Instance | undefined {
  return useInstances().data?.find(({ instance_id }) => instance_id === id);
}

/** Returns undefined while there is no instance. */
export function useCurrentInstance(): string | undefined {
  const [, params] = useRoute('/instances/:instance/*?');
  const { data } = useInstances();
  const knownIds = data?.map(({ instance_id }) => instance_id) ?? [];
  const lastId = readStorage(storageKey);
  const fallbackId = lastId !== undefined && knownIds.includes(lastId) ? lastId : knownIds[0];
  return params?.instance ?? fallbackId;
}

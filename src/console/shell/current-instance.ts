/** The instance that pages are about: of the address, else the one looked at last. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useRoute } from 'wouter';
import type { Instance } from '../../contract/api.ts';
import { store, stored } from '../browser.ts';
import { useConnection } from '../session/connection.ts';

const name = 'vp.instance';

/** All instances, kept true by the stream of changes. */
export function useInstances() {
  const { instances } = useConnection();
  return useQuery({ queryKey: ['instances'], queryFn: ({ signal }) => instances.list({ signal }), staleTime: 60_000 });
}

/** Remembers the instance of a page for the next visit. */
export function useRememberInstance(instance: string | undefined): void {
  useEffect(() => {
    if (instance !== undefined) store(name, instance);
  }, [instance]);
}

/** One of them; undefined until it is known. */
export function useInstance(id: string): Instance | undefined {
  return useInstances().data?.find(({ instance_id }) => instance_id === id);
}

/** Undefined until there is one. */
export function useCurrentInstance(): string | undefined {
  const [, params] = useRoute('/instances/:instance/*?');
  const { data } = useInstances();
  const known = data?.map(({ instance_id }) => instance_id) ?? [];
  const last = stored(name);
  const fallback = last !== undefined && known.includes(last) ? last : known[0];
  return params?.instance ?? fallback;
}

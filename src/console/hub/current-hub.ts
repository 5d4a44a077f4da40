/** The current hub: the one in the address bar, otherwise the one visited last. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useRoute } from 'wouter';
import type { Hub } from '../../contract/hubs/hubs-api.ts';
import { readStorage, writeStorage } from '../browser.ts';
import { useClient } from '../session/client.ts';
import { useWhoami } from '../session/use-session.ts';

const storageKey = 'vp.hub';

/** The hubs of the signed-in person. Keys without a person have none. */
export function useHubs() {
  const { hubs } = useClient();
  const isPerson = useWhoami()?.person != null;
  return useQuery({
    queryKey: ['hubs'],
    queryFn: ({ signal }) => hubs.list({ signal }),
    staleTime: 60_000,
    enabled: isPerson,
  });
}

export function useRememberHub(slug: string): void {
  useEffect(() => writeStorage(storageKey, slug), [slug]);
}

export function useCurrentHub(): Hub | undefined {
  const [, params] = useRoute('/hubs/:hub/*?');
  const { data = [] } = useHubs();
  const findHub = (slug: string | undefined): Hub | undefined => data.find((hub) => hub.slug === slug);
  return params ? findHub(params.hub) : (findHub(readStorage(storageKey)) ?? data[0]);
}

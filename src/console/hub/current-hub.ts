/** The hub that pages are about: of the address, else the one looked at last. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useRoute } from 'wouter';
import type { Hub } from '../../contract/hub-api.ts';
import { store, stored } from '../browser.ts';
import { useConnection } from '../session/connection.ts';
import { useWhoami } from '../session/use-session.ts';

const name = 'vp.hub';

/** Those that the signed-in person belongs to; nobody else has any. */
export function useHubs() {
  const { hubs } = useConnection();
  const isPerson = useWhoami()?.person != null;
  return useQuery({
    queryKey: ['hubs'],
    queryFn: ({ signal }) => hubs.list({ signal }),
    staleTime: 60_000,
    enabled: isPerson,
  });
}

/** Remembers the hub of a page for the next visit. */
export function useRememberHub(slug: string): void {
  useEffect(() => store(name, slug), [slug]);
}

/** Undefined until there is one. */
export function useCurrentHub(): Hub | undefined {
  const [, params] = useRoute('/hubs/:hub/*?');
  const { data = [] } = useHubs();
  const of = (slug: string | undefined): Hub | undefined => data.find((hub) => hub.slug === slug);
  return params ? of(params.hub) : (of(stored(name)) ?? data[0]);
}

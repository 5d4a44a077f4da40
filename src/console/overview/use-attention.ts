/** What needs a look: read from the same API as the pages that the Overview leads to. */
import { useQueries, useQuery } from '@tanstack/react-query';
import type { Instance } from '../../contract/api.ts';
import type { HubTool } from '../../contract/hubs/policy-api.ts';
import type { ScenarioResult } from '../../contract/scenario-results-api.ts';
import { nowMs } from '../browser.ts';
import { useHubs } from '../hub/current-hub.ts';
import { useClient } from '../session/client.ts';
import { useWhoami } from '../session/use-session.ts';

const refetchInterval = 15_000;
const expiryNoticeMs = 14 * 86_400_000;

export type InstanceResults = { readonly instance: Instance; readonly results: readonly ScenarioResult[] | undefined };

/** The newest result of each scenario of each instance; undefined until loaded. */
export function useInstanceResults(instances: readonly Instance[]): readonly InstanceResults[] {
  const { runs } = useClient();
  const queries = useQueries({
    queries: instances.map(({ instance_id: id }) => ({
      queryKey: ['scenario-results', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => runs.listScenarioResults(id, { signal }),
      refetchInterval,
    })),
  });
  return instances.map((instance, index) => ({ instance, results: queries[index]?.data }));
}

export type WaitingTools = { readonly hub: string; readonly hubName: string; readonly tools: readonly HubTool[] };

/** Hubs with definitions that cannot be used before an owner approves them. */
export function useWaitingTools(): readonly WaitingTools[] {
  const { hubPolicy } = useClient();
  const { data: hubs = [] } = useHubs();
  const queries = useQueries({
    queries: hubs.map(({ slug }) => ({
      queryKey: ['hub-tools', slug, 'held'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        hubPolicy.listTools(slug, { kind: 'any', state: 'held', signal }),
      refetchInterval,
    })),
  });
  return hubs.flatMap(({ slug, name }, index) => {
    const tools = queries[index]?.data ?? [];
    return tools.length === 0 ? [] : [{ hub: slug, hubName: name, tools }];
  });
}

/** `hub` is null for an API key. */
export type ExpiringCredential = { readonly name: string; readonly hub: string | null; readonly expiresAt: string };

/** The person's own tokens and keys that expire within two weeks or have expired since, the first to expire first. */
export function useExpiringCredentials(): readonly ExpiringCredential[] {
  const { hubs, identity } = useClient();
  const enabled = useWhoami()?.person != null;
  const tokens = useQuery({
    queryKey: ['hub-tokens'],
    queryFn: ({ signal }) => hubs.listOwnTokens({ signal }),
    enabled,
  });
  const keys = useQuery({
    queryKey: ['api-keys'],
    queryFn: ({ signal }) => identity.listApiKeys({ signal }),
    enabled,
  });
  const all = [
    ...(tokens.data ?? []).map(({ name, hub, expires_at: expiresAt }) => ({ name, hub, expiresAt })),
    ...(keys.data ?? []).map(({ name, expires_at: expiresAt }) => ({ name, hub: null, expiresAt })),
  ];
  const limitMs = nowMs() + expiryNoticeMs;
  return all
    .flatMap(({ expiresAt, ...rest }) =>
      expiresAt !== null && Date.parse(expiresAt) <= limitMs ? [{ ...rest, expiresAt }] : [],
    )
    .sort((a, b) => a.expiresAt.localeCompare(b.expiresAt));
}

import type { Statistics } from '../contract/statistics-api.ts';
import type { RunOutcome } from '../run/state.ts';
import { apiPath, type CallOptions } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

export type StatisticsClient = {
  /** `since` is RFC 3339; the last day by default. */
  get(
    instance: string,
    since?: string,
    options?: CallOptions & { scenario?: string | undefined; outcome?: RunOutcome | undefined },
  ): Promise<Statistics>;
};

export function createStatisticsClient({ json }: Transport): StatisticsClient {
  const isStatistics = createObjectGuard<Statistics>('totals', 'buckets');
  return {
    get: (instance, since, { scenario, outcome, ...options } = {}) =>
      json(
        {
          method: 'GET',
          path: apiPath('instances', instance, 'statistics'),
          query: { since, scenario, outcome },
          ...options,
        },
        isStatistics,
      ),
  };
}

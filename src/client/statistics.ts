import type { Statistics } from '../contract/statistics-api.ts';
import { objectWith } from './answer.ts';
import { at, type Giving } from './call.ts';
import type { Transport } from './transport.ts';

/** Runs over time. */
export type StatisticsClient = {
  /** `since` is RFC 3339; of the last day unless given. */
  get(instance: string, since?: string, giving?: Giving): Promise<Statistics>;
};

/** The calls for statistics. */
export function statisticsOf({ json }: Transport): StatisticsClient {
  const isStatistics = objectWith<Statistics>('totals', 'buckets');
  return {
    get: (instance, since, giving) =>
      json({ method: 'GET', path: at('instances', instance, 'statistics'), query: { since }, ...giving }, isStatistics),
  };
}

import type { Statistics } from '../../contract/statistics-api.ts';

export type StatisticsReader = {
  /** Throws INSTANCE_UNKNOWN. */
  read(instance: string, sinceMs: number): Promise<Statistics>;
};

import type { Statistics } from '../../contract/statistics-api.ts';
import type { RunOutcome } from '../../run/state.ts';

export type RunSelection = { readonly scenario?: string | undefined; readonly outcome?: RunOutcome | undefined };

export type StatisticsReader = {
  /** Statistics of all finished runs, or of one scenario or outcome. Throws INSTANCE_UNKNOWN. */
  read(instance: string, sinceMs: number, selection?: RunSelection): Promise<Statistics>;
};

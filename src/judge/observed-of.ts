import type { Observed } from '../check/observed.ts';
import type { Evidence } from '../run/evidence.ts';

/** What was seen beside the answer. */
export type SeenBeside = Pick<Observed, 'log' | 'database' | 'conceal'>;

/** The same evidence, where no answer is looked at. */
export function besideOf({ log, queries, conceal }: Pick<Evidence, 'log' | 'queries' | 'conceal'>): SeenBeside {
  const database = queries && new Map(queries.map((query) => [query.name, query.observed]));
  return { log: log?.observed, database, conceal };
}

/** What checks may look at; undefined where no answer came. */
export function observedOf(evidence: Evidence): Observed | undefined {
  const { response } = evidence;
  if (!response) return undefined;
  return { status: response.status, body: response.body, ...besideOf(evidence) };
}

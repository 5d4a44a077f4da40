import { emptyObservation, type Observation } from '../check/observation.ts';
import type { Evidence } from '../run/evidence.ts';

/** The evidence that is collected after the response. */
export type LaterEvidence = Pick<Evidence, 'log' | 'queries' | 'conceal'> & {
  /** When the response had arrived. */
  readonly nowMs?: number | undefined;
};

/** What checks of the log and the database see; the response is empty. */
export function toEvidenceObservation({ log, queries, conceal, nowMs }: LaterEvidence): Observation {
  const database = queries && new Map(queries.map((query) => [query.name, query.observed]));
  return { ...emptyObservation, log: log?.observed, database, conceal, nowMs };
}

/** What checks see; undefined where no response was received. */
export function toObservation(evidence: Evidence): Observation | undefined {
  const { response, timings, request, captured, validateSchema, selectElements, stream, beforeMs = 0 } = evidence;
  if (!response) return undefined;
  const { status, headers, setCookies, body } = response;
  const nowMs = evidence.startedAtMs + beforeMs + (timings.bodyMs ?? timings.totalMs);
  const url = request?.url;
  const received = { status, headers, setCookies, body };
  const readers = { validateSchema, selectElements, stream };
  return { ...toEvidenceObservation({ ...evidence, nowMs }), ...received, timings, url, captured, ...readers };
}

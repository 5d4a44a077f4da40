/** What checks look at: everything that was observed of a run's target, as one value. */
import type { Json, JsonObject } from './json/json.ts';

/** Header lines in the order in which they were received; a name may occur twice. */
export type ObservedHeaders = readonly (readonly [name: string, value: string])[];

export type ObservedBody =
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'empty' }
  /** `problem` says why it is not JSON, `excerpt` is its beginning. */
  | { readonly kind: 'not_json'; readonly problem: string; readonly excerpt: string };

/** Milliseconds since the executor took the run up; undefined for points that were not reached. */
export type ObservedTimings = {
  readonly connectMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly bodyMs: number | undefined;
  readonly totalMs: number;
};

/** A line of the target's log that belongs to the run; secrets are already replaced. */
export type ObservedLine = {
  /** As written, bounded. */
  readonly text: string;
  /** The line as a JSON object; undefined where it is not one. */
  readonly fields: JsonObject | undefined;
  /** The value of the config's level field, as text. */
  readonly level: string | undefined;
  readonly isError: boolean;
  readonly isSagaEvent: boolean;
};

/** Why evidence is missing, and how to fix that. */
export type UnavailableEvidence = {
  readonly kind: 'unavailable';
  readonly problem: string;
  readonly cure: string;
  /** True where another attempt would give the same result. */
  readonly isFinal?: boolean;
};

/** The run's lines in the order in which they were written. The counts include all lines, `lines` holds the first ones. */
export type ObservedLog =
  | {
      readonly kind: 'lines';
      readonly lines: readonly ObservedLine[];
      readonly lineCount: number;
      readonly errorCount: number;
      readonly sagaEventCount: number;
    }
  | UnavailableEvidence;

/** The result of a query of VERIFY. `rows` holds the first `rowCount` rows, `more` says that there are others. */
export type ObservedQuery =
  | {
      readonly kind: 'rows';
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Json[])[];
      readonly rowCount: number;
      readonly more: boolean;
    }
  | UnavailableEvidence;

/** The results of the scenario's queries, by name. */
export type ObservedDatabase = ReadonlyMap<string, ObservedQuery>;

/** The complete observation of one run. */
export type Observation = {
  readonly status: number;
  readonly headers: ObservedHeaders;
  readonly body: ObservedBody;
  readonly timings: ObservedTimings;
  /** Undefined where the log was not read. */
  readonly log?: ObservedLog | undefined;
  /** Undefined where the database was not queried. */
  readonly database?: ObservedDatabase | undefined;
  /** Takes secrets out of the string form of a value before it is compared; absent where there are none. */
  readonly conceal?: ((text: string) => string) | undefined;
};

/** The observation of a run before anything was received; for tests and for evidence that is judged before the response. */
export const emptyObservation: Observation = {
  status: 0,
  headers: [],
  body: { kind: 'empty' },
  timings: { connectMs: undefined, firstByteMs: undefined, bodyMs: undefined, totalMs: 0 },
};

/** The value of a header as checks may see it, repeated ones joined by `, ` (RFC 9110, 5.2); undefined where it is absent. */
export function findHeader({ headers, conceal }: Observation, name: string): string | undefined {
  const key = name.toLowerCase();
  const values = headers.flatMap(([other, value]) => (other.toLowerCase() === key ? [value] : []));
  if (values.length === 0) return undefined;
  const text = values.join(', ');
  return conceal?.(text) ?? text;
}

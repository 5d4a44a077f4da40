/** What checks look at: everything that was observed of a run's target, as one value. */
import type { Json, JsonObject } from './json/json.ts';

/** Header lines in the order in which they were received; a name may occur twice. */
export type ObservedHeaders = readonly (readonly [name: string, value: string])[];

export type ObservedBody =
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'empty' }
  /**
   * `problem` says why it is not JSON, `excerpt` is its beginning. `text` is the whole of it; undefined where it is not text or did
   * not arrive completely.
   */
  | {
      readonly kind: 'not_json';
      readonly problem: string;
      readonly excerpt: string;
      readonly text?: string | undefined;
    };

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
  /** From the start of the run until it was written or seen; undefined where that is not known. */
  readonly atMs?: number | undefined;
};

/** Why evidence is missing, and how to fix that. */
export type UnavailableEvidence = {
  readonly kind: 'unavailable';
  readonly problem: string;
  readonly cure: string;
  /** True where another attempt would give the same result. */
  readonly isFinal?: boolean;
};

/** Lines of which something is not known, and how to change that. `every`: also of those that are not there yet. */
export type LogGap = { readonly lineCount: number | 'every'; readonly problem: string; readonly cure: string };

/** A member of `observability.logstore` whose field no line of the run has. `instead`: the field that holds the run's id. */
export type UnseenField = {
  readonly member: 'correlation_field' | 'level_field' | 'saga_event_field';
  readonly field: string;
  readonly instead?: string | undefined;
};

/** Gaps of the log with this config: a check must not treat them as an answer. */
export type LogGaps = {
  /** Whether lines belong to the run: set while the source has not given any line, of whatever run. */
  readonly lines?: LogGap | undefined;
  /** Whether a line is an error. */
  readonly errors?: LogGap | undefined;
  /** Whether a line is a saga event. */
  readonly sagaEvents?: LogGap | undefined;
  /** The fields of a line. */
  readonly fields?: LogGap | undefined;
  readonly unseen: readonly UnseenField[];
};

/** The run's lines in the order in which they were written. The counts include all lines, `lines` holds the first ones. */
export type ObservedLog =
  | {
      readonly kind: 'lines';
      readonly lines: readonly ObservedLine[];
      readonly lineCount: number;
      readonly errorCount: number;
      readonly sagaEventCount: number;
      readonly gaps: LogGaps;
      /** When the process that wrote them was started; undefined where the log's source does not know. */
      readonly processStartedAtMs?: number | undefined;
      /** The digest of the image of the target's container; undefined where the log's source does not know. */
      readonly image?: string | undefined;
    }
  | UnavailableEvidence;

/** The result of a query of VERIFY. `rows` holds the first `rowCount` rows, `more` says that there are others. */
export type ObservedQueryResult =
  | {
      readonly kind: 'rows';
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Json[])[];
      readonly rowCount: number;
      readonly more: boolean;
    }
  | UnavailableEvidence;

/** The results of the scenario's queries, by name. */
export type ObservedDatabase = ReadonlyMap<string, ObservedQueryResult>;

/** Why a value does not match a schema. `pointer` is that of the value; undefined where the schema itself cannot be used. */
export type BodyProblem = { readonly pointer: string | undefined; readonly message: string };

/** `schema` is the text of a JSON Schema; undefined where the value matches. */
export type ValidateSchema = (schema: string, value: unknown) => BodyProblem | undefined;

/** How a stream was received; `isMet`: up to the moment that the scenario names. `ending` says what came, without its content. */
export type ObservedStream = { readonly isMet: boolean; readonly ending: string };

/** An element of a markup body. `start` and `end` are its offsets in the text. */
export type SelectedElement = {
  /** With its spaces collapsed. Throws a RangeError where the texts of all elements are too long. */
  getText(): string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly start: number;
  readonly end: number;
};

export type ElementSelection = { readonly elements: readonly SelectedElement[] };

/** `problem`: why the body cannot be read. `type` is its Content-Type. */
export type SelectElements = (
  body: { readonly text: string; readonly type: string },
  selector: string,
) => ElementSelection | { readonly problem: string };

/** The complete observation of one run. */
export type Observation = {
  readonly status: number;
  /** Values of headers that carry credentials are replaced. */
  readonly headers: ObservedHeaders;
  /** The Set-Cookie lines as they were received. Their values are credentials: what a check displays must not contain them. */
  readonly setCookies: readonly string[];
  readonly body: ObservedBody;
  readonly timings: ObservedTimings;
  /** The URL of the request, as sent; undefined where it is not known. */
  readonly url?: string | undefined;
  /** When the response had arrived, by the executor's clock; undefined where that is not known. */
  readonly nowMs?: number | undefined;
  /** Undefined where the log was not read. */
  readonly log?: ObservedLog | undefined;
  /** Undefined where the database was not queried. */
  readonly database?: ObservedDatabase | undefined;
  /** Values that the scenario captured of the head of the response, by name, as they may be displayed. */
  readonly captured?: ReadonlyMap<string, string> | undefined;
  /** Undefined where the response is not a stream that the scenario receives. */
  readonly stream?: ObservedStream | undefined;
  /** Absent where no check needs it. */
  readonly validateSchema?: ValidateSchema | undefined;
  /** Absent where no check needs it. */
  readonly selectElements?: SelectElements | undefined;
  /** Takes secrets out of the string form of a value before it is compared; absent where there are none. */
  readonly conceal?: ((text: string) => string) | undefined;
};

/** The observation of a run before anything was received; for tests and for evidence that is judged before the response. */
export const emptyObservation: Observation = {
  status: 0,
  headers: [],
  setCookies: [],
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

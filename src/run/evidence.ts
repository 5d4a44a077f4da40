/** Observations of a run; created by the executor only, judged by `judge/` only. */
import type {
  ObservedBody,
  ObservedLog,
  ObservedQueryResult,
  ObservedStream,
  SelectElements,
  ValidateSchema,
} from '../check/observation.ts';

/** In the order of sending or receiving; a name may occur more than once. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** The value of the first header line `name` (lowercase). */
export function findHeaderValue(headers: HeaderList, name: string): string | undefined {
  return headers.find(([key]) => key.length === name.length && key.toLowerCase() === name)?.[1];
}

/** The request as sent, with secrets replaced by `[redacted]`. */
export type SentRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: string | undefined;
};

/** The response, as far as it was read. */
export type ReceivedResponse = {
  readonly status: number;
  /** For people and for judging: values of headers that carry credentials are replaced. */
  readonly headers: HeaderList;
  /** For judging: the Set-Cookie lines as they were received. They are credentials and are never displayed. */
  readonly setCookies: readonly string[];
  /** For judging: parsed, not truncated. */
  readonly body: ObservedBody;
  /** For people: bounded, secrets replaced. */
  readonly displayedBody: DisplayedBody;
};

/** A body for people: its text if it is UTF-8, otherwise its size only. */
export type DisplayedBody = {
  readonly text: string | undefined;
  /** Size of the whole body as read, in bytes. */
  readonly sizeBytes: number;
  /** True when `text` is not the complete body. */
  readonly truncated: boolean;
};

/** Why there is no complete response. The error table has the message of each. */
export type ExecutionFailureKind =
  | 'timeout'
  | 'target_unreachable'
  | 'protocol_error'
  | 'response_too_large'
  | 'secret_missing'
  | 'executor_lost'
  | 'cancelled';

/** `message` says what failed, `cure` how to fix it; both are for people and contain no secret. */
export type ExecutionFailure = { readonly kind: ExecutionFailureKind; readonly message: string; readonly cure: string };

/** Milliseconds since the executor began the run; undefined for phases that were not reached. */
export type Timings = {
  readonly connectMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly bodyMs: number | undefined;
  readonly totalMs: number;
  /** From the end of the response until log and database were read; undefined when neither was. */
  readonly evidenceMs?: number | undefined;
};

/** The run's lines in the target's log. `waitedMs`: from the end of the response until the observation ended. */
export type LogEvidence = { readonly observed: ObservedLog; readonly waitedMs: number };

/** A query of VERIFY with its result. `sql` is as sent; its values are bound separately and never shown. */
export type QueryEvidence = {
  readonly name: string;
  readonly sql: string;
  /** The line of the query in the scenario. */
  readonly line: number;
  readonly observed: ObservedQueryResult;
  /** From the start of the run until it was sent for the last time. */
  readonly atMs?: number | undefined;
  readonly durationMs: number;
};

/** A failure may come with a response (headers arrived, the body was interrupted). */
export type Evidence = {
  readonly startedAtMs: number;
  readonly request: SentRequest | undefined;
  readonly response: ReceivedResponse | undefined;
  readonly failure: ExecutionFailure | undefined;
  /** Undefined when the target has no log source or nothing was sent. */
  readonly log?: LogEvidence | undefined;
  /** Undefined when the scenario has no queries or nothing was sent. */
  readonly queries?: readonly QueryEvidence[] | undefined;
  /**
   * Removes the target's secrets from a text before a check reads it. Otherwise a pattern could reveal them letter by letter
   * when an endpoint echoes them.
   */
  readonly conceal?: ((text: string) => string) | undefined;
  /** For checks that need it. */
  readonly validateSchema?: ValidateSchema | undefined;
  readonly selectElements?: SelectElements | undefined;
  /** Where messages were received; the body of the response is their list. */
  readonly stream?: ObservedStream | undefined;
  /** Values that the scenario captured of the head of the response, by name, as they may be displayed. */
  readonly captured?: ReadonlyMap<string, string> | undefined;
  readonly timings: Timings;
  /** From the start of the run until the request was sent for the last time, where that was not at once. `timings` begin then. */
  readonly beforeMs?: number | undefined;
  /** How often the request was sent; undefined where it is not repeated. */
  readonly attempts?: number | undefined;
  /** Where the config says how the target names its version. */
  readonly targetVersion?: string | undefined;
  /** How many bytes arrived behind the end of the response; undefined where there were none. */
  readonly surplusBytes?: number;
};

/** What was observed during a run; made by the executor only, judged by `judge/` only. */
import type { ObservedBody, ObservedLog, ObservedQuery } from '../check/observed.ts';

/** Header lines in the order they were sent or received; a name may occur twice. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** The request as it left, secrets already replaced by `[redacted]`. */
export type SentRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: string | undefined;
};

/** The whole answer, as far as it was read. */
export type ReceivedResponse = {
  readonly status: number;
  readonly headers: HeaderList;
  /** For judging: parsed, not shortened. */
  readonly body: ObservedBody;
  /** For people: bounded, secrets replaced. */
  readonly shownBody: ShownBody;
};

/** A body for people: text where it is text (UTF-8), else its size only. */
export type ShownBody = {
  readonly text: string | undefined;
  /** Size of the whole body as read, in bytes. */
  readonly sizeBytes: number;
  /** True when `text` is not the whole body. */
  readonly truncated: boolean;
};

/** Why there is no (whole) answer. Each has its words in the error table. */
export type FaultKind =
  | 'timeout'
  | 'target_unreachable'
  | 'protocol_error'
  | 'response_too_large'
  | 'secret_missing'
  | 'executor_lost'
  | 'cancelled';

/** `message` names what was waited for or refused, `cure` the next step; both are for people and hold no secret. */
export type Fault = { readonly kind: FaultKind; readonly message: string; readonly cure: string };

/** Durations in milliseconds from the moment the executor took the run up; undefined where it was never reached. */
export type Timings = {
  readonly connectMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly bodyMs: number | undefined;
  readonly totalMs: number;
  /** From the end of the answer until log and database were read; undefined where nobody looked. */
  readonly evidenceMs?: number | undefined;
};

/** What became of the run's lines in the target's log. `waitedMs`: from the end of the answer until looking ended. */
export type LogEvidence = { readonly observed: ObservedLog; readonly waitedMs: number };

/** A query of VERIFY with its answer. `sql` is as sent, its values apart and never shown. */
export type QueryEvidence = {
  readonly name: string;
  readonly sql: string;
  /** Where the query stands in the scenario. */
  readonly line: number;
  readonly observed: ObservedQuery;
  readonly durationMs: number;
};

/** All of it. A fault may come with a response (headers arrived, body broke off). */
export type Evidence = {
  readonly startedAtMs: number;
  readonly request: SentRequest | undefined;
  readonly response: ReceivedResponse | undefined;
  readonly fault: Fault | undefined;
  /** Undefined where nobody looked: there is no log to look at, or nothing was sent. */
  readonly log?: LogEvidence | undefined;
  /** Undefined where the scenario has no queries, or nothing was sent. */
  readonly queries?: readonly QueryEvidence[] | undefined;
  /**
   * Takes the target's secrets out of a text before a check looks at it: with an endpoint that echoes them, a pattern would
   * otherwise tell them letter by letter.
   */
  readonly conceal?: ((text: string) => string) | undefined;
  readonly timings: Timings;
};

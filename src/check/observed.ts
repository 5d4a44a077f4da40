/** What checks look at: the part of a run's evidence that the target produced. */
import type { Numeral } from './numeral.ts';

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** A JSON value (RFC 8259); see `Numeral` for which numbers are one. */
export type Json = null | boolean | number | Numeral | string | readonly Json[] | JsonObject;

/** The response body as checks see it. */
export type ObservedBody =
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'empty' }
  /** `problem` says in plain words why it is not JSON, `excerpt` shows its beginning. */
  | { readonly kind: 'not_json'; readonly problem: string; readonly excerpt: string };

/** A line of the target's log that belongs to the run; secrets are already replaced. */
export type ObservedLine = {
  /** As written, bounded. */
  readonly text: string;
  /** The line as a JSON object; undefined where it is none. */
  readonly fields: JsonObject | undefined;
  /** The value of the config's level field, as text. */
  readonly level: string | undefined;
  readonly isError: boolean;
  readonly isSagaEvent: boolean;
};

/** Why evidence is missing, and what to do. */
export type Unavailable = {
  readonly kind: 'unavailable';
  readonly problem: string;
  readonly cure: string;
  /** True where asking again would bring the same. */
  readonly isFinal?: boolean;
};

/** The run's lines in the order in which they were written. The counts go over all of them, `lines` are the first ones. */
export type ObservedLog =
  | {
      readonly kind: 'lines';
      readonly lines: readonly ObservedLine[];
      readonly lineCount: number;
      readonly errorCount: number;
      readonly sagaEventCount: number;
    }
  | Unavailable;

/** What a query of VERIFY gave. `rows` are the first `rowCount` ones, `more` says that there are others. */
export type ObservedQuery =
  | {
      readonly kind: 'rows';
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Json[])[];
      readonly rowCount: number;
      readonly more: boolean;
    }
  | Unavailable;

/** The answers of the scenario's queries, by their names. */
export type ObservedDatabase = ReadonlyMap<string, ObservedQuery>;

/** The target's answer, and what it did beside it where somebody looked. */
export type Observed = {
  readonly status: number;
  readonly body: ObservedBody;
  readonly log?: ObservedLog | undefined;
  readonly database?: ObservedDatabase | undefined;
  /** Takes secrets out of the string form of a value before it is compared; absent where there are none. */
  readonly conceal?: ((text: string) => string) | undefined;
};

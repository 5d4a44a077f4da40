import type { ErrorRow } from './row.ts';
import { type ErrorCode, type ErrorTable, errorTable } from './table.ts';

type Names<S extends string> = S extends `${string}{{${infer N}}}${infer Rest}` ? N | Names<Rest> : never;

/** The values that the words of an error need; the compiler demands each. */
export type Values<C extends ErrorCode> = {
  [N in Names<ErrorTable[C]['sentence']> | Names<ErrorTable[C]['cure']>]: string | number;
};

/** Where an error stands: a file, and in it a place; lines and columns count from 1. */
export type Place = { readonly file?: string; readonly line?: number; readonly column?: number };

/** `detail` goes to the log only and never to a caller; `diagnostics` are told to the caller, one by one. */
export type ErrorContext = {
  readonly place?: Place;
  readonly detail?: string;
  readonly cause?: unknown;
  readonly diagnostics?: readonly object[];
};

/** The filled-in words of an error. */
export type ErrorWords = { readonly code: ErrorCode; readonly message: string; readonly cure: string };

function fill(text: string, values: Record<string, string | number>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Fills the words of `code` with `values`. */
export function wordsOf<C extends ErrorCode>(code: C, values: Values<C>): ErrorWords {
  const row = errorTable[code];
  return { code, message: fill(row.sentence, values), cure: fill(row.cure, values) };
}

/** The only error class of the product: a row of the table with its values, its place and a private detail. */
export class VpError extends Error {
  override readonly name = 'VpError';
  readonly code: ErrorCode;
  readonly cure: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly place: Place | undefined;
  readonly detail: string | undefined;
  readonly diagnostics: readonly object[];

  constructor(words: ErrorWords, values: Record<string, string | number>, context: ErrorContext = {}) {
    super(words.message, context.cause === undefined ? {} : { cause: context.cause });
    this.code = words.code;
    this.cure = words.cure;
    this.values = values;
    this.place = context.place;
    this.detail = context.detail;
    this.diagnostics = context.diagnostics ?? [];
  }

  /** The row of the table: HTTP status, exit code, who may see it. */
  get row(): ErrorRow {
    return errorTable[this.code];
  }
}

/** Makes (does not throw) the error `code`. */
export function vpError<C extends ErrorCode>(code: C, values: Values<C>, context?: ErrorContext): VpError {
  return new VpError(wordsOf(code, values), values, context);
}

/** What was thrown, as a `VpError`: anything unknown becomes INTERNAL with its text as private detail. */
export function asVpError(thrown: unknown): VpError {
  if (thrown instanceof VpError) return thrown;
  const detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return vpError('INTERNAL', {}, { detail, cause: thrown });
}

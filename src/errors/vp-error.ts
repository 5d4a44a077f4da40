import type { ErrorRow } from './row.ts';
import { type ErrorCode, type ErrorTable, errorTable } from './table.ts';

type PlaceholderNames<S extends string> = S extends `${string}{{${infer N}}}${infer Rest}`
  ? N | PlaceholderNames<Rest>
  : never;

/** The values that the texts of an error need; the compiler requires each. */
export type ErrorValues<C extends ErrorCode> = {
  [N in PlaceholderNames<ErrorTable[C]['sentence']> | PlaceholderNames<ErrorTable[C]['cure']>]: string | number;
};

/** The file and position of an error; lines and columns count from 1. */
export type SourceLocation = { readonly file?: string; readonly line?: number; readonly column?: number };

/** `detail` goes to the log only and never to a caller; `diagnostics` are sent to the caller, one by one. */
export type ErrorContext = {
  readonly location?: SourceLocation;
  readonly detail?: string;
  readonly cause?: unknown;
  readonly diagnostics?: readonly object[];
};

/** The texts of an error, with values. */
export type ErrorText = { readonly code: ErrorCode; readonly message: string; readonly cure: string };

function fill(text: string, values: Record<string, string | number>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}

/** Fills the texts of `code` with `values`. */
export function formatError<C extends ErrorCode>(code: C, values: ErrorValues<C>, cause?: unknown): ErrorText {
  const row = errorTable[code];
  const text = { code, message: fill(row.sentence, values), cure: fill(row.cure, values) };
  const limit = findOpenFileLimit(values, cause);
  if (limit === undefined) return text;
  const message = text.message.includes(limit) ? text.message.replace(limit, openFileLimits[limit]) : text.message;
  const suffix = message === text.message ? `: ${openFileLimits[limit]}` : '';
  return { code, message: `${message}${suffix}`, cure: openFileCure };
}

/** The limits on open files, of a process and of the system: every error of a file may be one, and its own fix misleads then. */
const openFileLimits = {
  EMFILE: 'too many open files (EMFILE)',
  ENFILE: 'too many open files on this machine (ENFILE)',
} as const;
const openFileCure =
  'raise the limit on open files, for example to 4096: `ulimit -n` in the shell that starts it, `LimitNOFILE=` in a systemd unit, ' +
  '`ulimits.nofile` in compose';

/** Taken from the error's reason, or from a cause of it. */
function findOpenFileLimit(
  values: Readonly<Record<string, string | number>>,
  cause: unknown,
): keyof typeof openFileLimits | undefined {
  const texts = [values.reason, values.problem];
  for (let error = cause; error instanceof Error; error = error.cause)
    if ('code' in error) texts.push(String(error.code));
  if (texts.some((text) => /\bEMFILE\b/.test(String(text)))) return 'EMFILE';
  return texts.some((text) => /\bENFILE\b/.test(String(text))) ? 'ENFILE' : undefined;
}

/** The packed program may load two copies of this file: a command of one part of it is run by another part. */
const mark = Symbol.for('vp.VpError');

/**
 * What is reported to people and programs: a row of the table with its values, its location and a private detail. The few other
 * classes of errors are caught by the folder that throws them, or converted.
 */
export class VpError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && mark in value;
  }

  get [mark](): true {
    return true;
  }
  override readonly name = 'VpError';
  readonly code: ErrorCode;
  readonly cure: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly location: SourceLocation | undefined;
  readonly detail: string | undefined;
  readonly diagnostics: readonly object[];

  constructor(text: ErrorText, values: Record<string, string | number>, context: ErrorContext = {}) {
    super(text.message, context.cause === undefined ? {} : { cause: context.cause });
    this.code = text.code;
    this.cure = text.cure;
    this.values = values;
    this.location = context.location;
    this.detail = context.detail;
    this.diagnostics = context.diagnostics ?? [];
  }

  /** The same error with another fix. */
  withCure(cure: string): VpError {
    const { code, message, cause, detail, diagnostics, location } = this;
    const context = {
      cause,
      diagnostics,
      ...(detail === undefined ? {} : { detail }),
      ...(location ? { location } : {}),
    };
    return new VpError({ code, message, cure }, this.values, context);
  }

  /** The row of the table: HTTP status, exit code, who may see it. */
  get row(): ErrorRow {
    return errorTable[this.code];
  }
}

/** Creates (does not throw) the error `code`. */
export function vpError<C extends ErrorCode>(code: C, values: ErrorValues<C>, context?: ErrorContext): VpError {
  return new VpError(formatError(code, values, context?.cause), values, context);
}

/** Converts a thrown value to a `VpError`: an unknown one becomes INTERNAL with its text as private detail. */
export function toVpError(error: unknown): VpError {
  if (error instanceof VpError) return error;
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return vpError('INTERNAL', {}, { detail, cause: error });
}

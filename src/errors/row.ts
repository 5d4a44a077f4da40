/**
 * A row of the error table and factories for the usual kinds of rows.
 * Sentences and cures may contain `{{name}}`, replaced by the values passed where the error is raised.
 */
import { type ExitCode, exitCode } from './exit-code.ts';

/** The constant part of an error: its texts, its HTTP status (RFC 9110) and its exit code. */
export type ErrorRow = {
  readonly sentence: string;
  readonly cure: string;
  readonly status: number;
  readonly exit: ExitCode;
  /** A warning is reported and changes no outcome. */
  readonly severity: 'error' | 'warning';
  /** Private errors reach callers as INTERNAL only; their texts go to the log. */
  readonly visibility: 'public' | 'private';
};

type RowText<S extends string, C extends string> = { readonly sentence: S; readonly cure: C };

function rowFactory(rest: Omit<ErrorRow, 'sentence' | 'cure'>) {
  return <const S extends string, const C extends string>(sentence: S, cure: C): ErrorRow & RowText<S, C> => ({
    sentence,
    cure,
    ...rest,
  });
}

const publicError = { severity: 'error', visibility: 'public' } as const;

/** A file, flag or body with an invalid value: 422, exit 2. */
export const invalid = rowFactory({ ...publicError, status: 422, exit: exitCode.invalidInput });
/** Reported, but changes no outcome. */
export const warning = rowFactory({ status: 200, exit: exitCode.done, severity: 'warning', visibility: 'public' });
/** A request that cannot be parsed: 400, exit 2. */
export const malformed = rowFactory({ ...publicError, status: 400, exit: exitCode.invalidInput });
/** Nothing has that name: 404, exit 2. */
export const notFound = rowFactory({ ...publicError, status: 404, exit: exitCode.invalidInput });
/** The state does not allow it: 409, exit 2. */
export const conflict = rowFactory({ ...publicError, status: 409, exit: exitCode.invalidInput });
/** Not available yet, or temporarily unavailable: 503, exit 3. */
export const notReady = rowFactory({ ...publicError, status: 503, exit: exitCode.notReady });
/** The peer was not reached, or its response is not usable: 502, exit 4. */
export const peerFailure = rowFactory({ ...publicError, status: 502, exit: exitCode.broken });
/** Something on this machine is broken: 500, exit 4. */
export const localFailure = rowFactory({ ...publicError, status: 500, exit: exitCode.broken });
/** A row with a status that none of the factories above has. */
export function withStatus(status: number, exit: ExitCode = exitCode.invalidInput) {
  return rowFactory({ ...publicError, status, exit });
}
/** A bug of vp; the caller sees INTERNAL. */
export const internal = rowFactory({ status: 500, exit: exitCode.broken, severity: 'error', visibility: 'private' });

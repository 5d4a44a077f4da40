/**
 * A row of the error table and the makers of its usual shapes.
 * Sentences and cures may hold `{{name}}`, filled from the values given where the error is raised.
 */
import { type ExitCode, exitCode } from './exit-code.ts';

/** What is fixed about an error: its words, its HTTP status (RFC 9110) and its exit code. */
export type ErrorRow = {
  readonly sentence: string;
  readonly cure: string;
  readonly status: number;
  readonly exit: ExitCode;
  /** A warning is told and changes no outcome. */
  readonly severity: 'error' | 'warning';
  /** Private errors reach callers as INTERNAL only; their words go to the log. */
  readonly visibility: 'public' | 'private';
};

type Words<S extends string, C extends string> = { readonly sentence: S; readonly cure: C };

function maker(rest: Omit<ErrorRow, 'sentence' | 'cure'>) {
  return <const S extends string, const C extends string>(sentence: S, cure: C): ErrorRow & Words<S, C> => ({
    sentence,
    cure,
    ...rest,
  });
}

const shown = { severity: 'error', visibility: 'public' } as const;

/** A file, flag or body that says something wrong: 422, exit 2. */
export const invalid = maker({ ...shown, status: 422, exit: exitCode.invalidInput });
/** Told, but changes no outcome. */
export const warning = maker({ status: 200, exit: exitCode.done, severity: 'warning', visibility: 'public' });
/** A request that cannot be read at all: 400, exit 2. */
export const malformed = maker({ ...shown, status: 400, exit: exitCode.invalidInput });
/** Nothing has that name: 404, exit 2. */
export const missing = maker({ ...shown, status: 404, exit: exitCode.invalidInput });
/** The state does not allow it: 409, exit 2. */
export const conflict = maker({ ...shown, status: 409, exit: exitCode.invalidInput });
/** Not there yet, or away for now: 503, exit 3. */
export const unready = maker({ ...shown, status: 503, exit: exitCode.notReady });
/** Reached nobody, or got no usable answer: 502, exit 4. */
export const unreachable = maker({ ...shown, status: 502, exit: exitCode.broken });
/** Something on this machine is broken: 500, exit 4. */
export const broken = maker({ ...shown, status: 500, exit: exitCode.broken });
/** A row whose status fits none of the makers above. */
export function answering(status: number, exit: ExitCode = exitCode.invalidInput) {
  return maker({ ...shown, status, exit });
}
/** Our own fault; the caller sees INTERNAL. */
export const internal = maker({ status: 500, exit: exitCode.broken, severity: 'error', visibility: 'private' });

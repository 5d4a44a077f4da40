import type { ErrorCode } from '../errors/table.ts';
import { errorTable } from '../errors/table.ts';
import { type ErrorValues, formatError } from '../errors/vp-error.ts';
import type { Range } from './position.ts';

/** A problem in the text of a scenario. An `error` refuses the scenario, a `warning` does not. */
export type Diagnostic = {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly cure: string;
  readonly range: Range;
};

/** Parsers call it and continue, so that one pass reports every problem. */
export type OnDiagnostic = (diagnostic: Diagnostic) => void;

/** Creates a diagnostic from a row of the error table. */
export function createDiagnostic<C extends ErrorCode>(code: C, range: Range, values: ErrorValues<C>): Diagnostic {
  const { message, cure } = formatError(code, values);
  return { code, severity: errorTable[code].severity, message, cure, range };
}

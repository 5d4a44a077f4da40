import type { ErrorCode } from '../errors/table.ts';
import { errorTable } from '../errors/table.ts';
import { type Values, wordsOf } from '../errors/vp-error.ts';
import type { Range } from './position.ts';

/** Something to say about a scenario's text. An `error` refuses the scenario, a `warning` does not. */
export type Diagnostic = {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly cure: string;
  readonly range: Range;
};

/** Parsers take one of these and carry on, so that one pass tells everything. */
export type OnDiagnostic = (diagnostic: Diagnostic) => void;

/** Makes a diagnostic from a row of the error table. */
export function diagnosticOf<C extends ErrorCode>(code: C, range: Range, values: Values<C>): Diagnostic {
  const { message, cure } = wordsOf(code, values);
  return { code, severity: errorTable[code].severity, message, cure, range };
}

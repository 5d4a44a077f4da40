/** Gathers diagnostics of one text, so that they can be told in the order of their places. */
import type { ReportProblem } from '../check/kind.ts';
import { errorTable } from '../errors/table.ts';
import { type Diagnostic, diagnosticOf, type OnDiagnostic } from './diagnostic.ts';
import { rangeIn, type Source } from './source.ts';

/** Errors and warnings of one text told at most; an error is never pushed out by warnings. */
export const maxTold = { error: 100, warning: 20 } as const;

/** `report` takes a problem; `tell` passes everything on, once, and says whether there was no error. */
export type Collector = { readonly report: ReportProblem; tell(onDiagnostic: OnDiagnostic): boolean };

/** An empty collector. */
export function collect(source: Source): Collector {
  const found: Diagnostic[] = [];
  const count = { error: 0, warning: 0 };
  let left = 0;
  const report: ReportProblem = (code, start, end, values) => {
    const { severity } = errorTable[code];
    count[severity] += 1;
    if (count[severity] > maxTold[severity]) left += 1;
    else found.push(diagnosticOf(code, rangeIn(source, start, end), values));
  };
  const tell = (onDiagnostic: OnDiagnostic): boolean => {
    const ordered = found.toSorted((one, other) => one.range.start.offset - other.range.start.offset);
    for (const diagnostic of ordered) onDiagnostic(diagnostic);
    const last = ordered.at(-1)?.range;
    if (left > 0 && last !== undefined) onDiagnostic(diagnosticOf('SCENARIO_MORE_PROBLEMS', last, { left }));
    return count.error === 0;
  };
  return { report, tell };
}

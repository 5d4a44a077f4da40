/** Collects the diagnostics of one text, so that they can be reported in the order of their positions. */
import type { ReportProblem } from '../check/check-kind.ts';
import { errorTable } from '../errors/table.ts';
import { createDiagnostic, type Diagnostic, type OnDiagnostic } from './diagnostic.ts';
import { type SourceText, toRange } from './source.ts';

/** Limits per text for errors and for warnings; separate, so that warnings never displace an error. */
const maxReportedProblems = { error: 100, warning: 20 } as const;

/** `report` adds a problem. `flush` passes the diagnostics on, once, and returns true if there was no error. */
export type DiagnosticCollector = { readonly report: ReportProblem; flush(onDiagnostic: OnDiagnostic): boolean };

export function createDiagnosticCollector(source: SourceText): DiagnosticCollector {
  const diagnostics: Diagnostic[] = [];
  const count = { error: 0, warning: 0 };
  let remaining = 0;
  const report: ReportProblem = (code, start, end, values) => {
    const { severity } = errorTable[code];
    count[severity] += 1;
    if (count[severity] > maxReportedProblems[severity]) remaining += 1;
    else diagnostics.push(createDiagnostic(code, toRange(source, start, end), values));
  };
  const flush = (onDiagnostic: OnDiagnostic): boolean => {
    const ordered = diagnostics.toSorted((a, other) => a.range.start.offset - other.range.start.offset);
    for (const diagnostic of ordered) onDiagnostic(diagnostic);
    const last = ordered.at(-1)?.range;
    if (remaining > 0 && last !== undefined)
      onDiagnostic(createDiagnostic('SCENARIO_MORE_PROBLEMS', last, { remaining }));
    return count.error === 0;
  };
  return { report, flush };
}

/** Checks with values of CASES: each must be a check with the values of every case. */
import type { CheckKind, ReportProblem } from '../check/check-kind.ts';
import { VpError } from '../errors/vp-error.ts';
import { bindCheck } from './check-template.ts';
import type { ScenarioCase, ScenarioCheck } from './scenario.ts';

/** The names in a check; undefined where one of them is captured, so that its value is not known before the run. */
function listColumns({ template }: ScenarioCheck, columns: ReadonlySet<string>): readonly string[] | undefined {
  const names = (template?.parts ?? []).flatMap((part) => ('placeholder' in part ? [part.placeholder] : []));
  return names.length > 0 && names.every((name) => columns.has(name)) ? names : undefined;
}

/** Reports the row whose values make a check unreadable. Equal values are tried once. */
export function checkCases(
  cases: readonly ScenarioCase[],
  checks: readonly ScenarioCheck[],
  kinds: readonly CheckKind[] | undefined,
  report: ReportProblem,
): void {
  const columns = new Set(cases[0]?.values.keys());
  for (const entry of checks) {
    const names = listColumns(entry, columns);
    if (!names) continue;
    const tried = new Set<string>();
    for (const { name, values, range } of cases) {
      const key = JSON.stringify(names.map((column) => values.get(column)?.text));
      if (tried.has(key)) continue;
      tried.add(key);
      if (isReadable(entry, values, kinds)) continue;
      const reported = { name, line: entry.range.start.line, check: entry.text };
      report('SCENARIO_CASE_CHECK', range.start.offset, range.end.offset, reported);
    }
  }
}

function isReadable(
  entry: ScenarioCheck,
  values: ScenarioCase['values'],
  kinds: readonly CheckKind[] | undefined,
): boolean {
  try {
    bindCheck(entry, values, kinds);
    return true;
  } catch (error) {
    if (error instanceof VpError) return false;
    throw error;
  }
}

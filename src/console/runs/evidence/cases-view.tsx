import { countCases } from '../../../report/cases.ts';
import { formatDuration } from '../../../report/measures.ts';
import type { Report, ReportCase } from '../../../report/report.ts';
import { RequestResult } from './request-result.tsx';

/** The cases of a run; those that did not pass come first, with what they received. */
export function CasesView({ report }: { report: Report }) {
  const { cases = [], displayed_case: displayed } = report;
  const others = cases.filter(({ outcome }) => outcome !== 'passed');
  const passed = cases.filter(({ outcome }) => outcome === 'passed');
  return (
    <>
      <p>
        {countCases(cases)}. The other tabs are about the case <b>{displayed}</b>.
      </p>
      {others.map((entry) => (
        <CaseResult key={entry.line} entry={entry} />
      ))}
      {passed.length === 0 ? null : (
        <details open={others.length === 0}>
          <summary>Passed</summary>
          {passed.map((entry) => (
            <CaseResult key={entry.line} entry={entry} />
          ))}
        </details>
      )}
    </>
  );
}

function CaseResult({ entry }: { entry: ReportCase }) {
  const { failed_checks: failed, observed_status: status, total_ms: totalMs } = entry;
  const facts = [
    status === null ? undefined : `status ${status}`,
    totalMs === null ? undefined : formatDuration(totalMs),
  ];
  return <RequestResult entry={entry} facts={facts} failed={failed} />;
}

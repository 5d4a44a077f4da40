import { formatDuration } from '../../../report/measures.ts';
import type { Report, ReportQuery } from '../../../report/report.ts';
import { formatOffset } from '../../../report/run-axis.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { formatCount } from '../../text/format.ts';
import { EvidenceProblem, MissingEvidenceNotice } from './missing-evidence.tsx';

/** The queries of VERIFY with their results. */
export function DatabaseView({ report }: { report: Report }) {
  const { queries, scenario } = report;
  if (queries.length > 0) return queries.map((query) => <QueryResult key={query.line} query={query} />);
  return (
    <MissingEvidenceNotice title="The database was not queried">
      {/\bdatabase\b/i.test(scenario.layer) ? (
        <p>No request was sent, so no query was executed. The verdict says why.</p>
      ) : (
        <p>
          The scenario’s layer is {scenario.layer}. With <code>HTTP Ingestion + Database</code>, a fenced{' '}
          <code>sql</code> block under VERIFY defines a query, and checks that begin with <code>db</code> judge its
          result.
        </p>
      )}
    </MissingEvidenceNotice>
  );
}

function QueryResult({ query }: { query: ReportQuery }) {
  const { name, line, sql, columns, rows, row_count: count, truncated, duration_ms: durationMs, problem, cure } = query;
  const sentAt = query.at_ms === undefined ? '' : ` at ${formatOffset(query.at_ms)}`;
  return (
    <section className="query" aria-label={`Query ${name}`}>
      <p className="exchange-line">
        <span>
          <b>{name}</b> · line {line} ·{' '}
          {problem === null ? `${formatCount(count, 'row')}${truncated ? ' or more' : ''} · ` : null}
          {formatDuration(durationMs)}
          {sentAt}
        </span>
        <CopyButton text={sql} label="Copy query" />
      </p>
      <details className="headers">
        <summary>SQL</summary>
        <pre className="mono">{sql}</pre>
      </details>
      <EvidenceProblem problem={problem} cure={cure} />
      {problem === null && rows.length === 0 ? <p className="faint">No rows.</p> : null}
      {rows.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        <section className="table-scroll" aria-label={`Rows of ${name}`} tabIndex={0}>
          <table className="table rows-table">
            <thead>
              <tr>
                {columns.map((column, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
                  <th key={index} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows may be alike, and never change places
                <tr key={index}>
                  {row.map((value, cellIndex) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as above
                    <td key={cellIndex}>{value ?? <span className="faint">null</span>}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {truncated ? <p className="faint">Only the first {rows.length} rows are shown.</p> : null}
    </section>
  );
}

import type { Report, ReportQuery } from '../../report/report.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { countText, durationText } from '../words/moments.ts';
import { NotLooked, Shortcoming } from './looked.tsx';

/** The queries of VERIFY with what they gave. */
export function DatabaseView({ report }: { report: Report }) {
  const { queries, scenario } = report;
  if (queries.length > 0) return queries.map((query) => <Query key={query.line} query={query} />);
  return (
    <NotLooked title="Nobody asked the database">
      {/\bdatabase\b/i.test(scenario.layer) ? (
        <p>Nothing was sent, so there was nothing to ask for. The verdict says why.</p>
      ) : (
        <p>
          Its layer is {scenario.layer}. With <code>HTTP Ingestion + Database</code> a fenced <code>sql</code> block
          under VERIFY asks a query, and checks that begin with <code>db</code> judge what it gives.
        </p>
      )}
    </NotLooked>
  );
}

function Query({ query }: { query: ReportQuery }) {
  const { name, line, sql, columns, rows, row_count: count, truncated, duration_ms: durationMs, problem, cure } = query;
  return (
    <section className="query" aria-label={`Query ${name}`}>
      <p className="exchange-line">
        <span>
          <b>{name}</b> · line {line} ·{' '}
          {problem === null ? `${countText(count, 'row')}${truncated ? ' or more' : ''} · ` : null}
          {durationText(durationMs)}
        </span>
        <CopyButton text={sql} label="Copy query" />
      </p>
      <details className="headers">
        <summary>SQL</summary>
        <pre className="mono">{sql}</pre>
      </details>
      <Shortcoming problem={problem} cure={cure} />
      {problem === null && rows.length === 0 ? <p className="faint">No row.</p> : null}
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
                  {row.map((value, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as above
                    <td key={at}>{value ?? <span className="faint">null</span>}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {truncated ? <p className="faint">The first {rows.length} are shown.</p> : null}
    </section>
  );
}

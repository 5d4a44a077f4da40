import { useState } from 'react';
import { formatDuration } from '../../../report/measures.ts';
import type { Report, ReportLog } from '../../../report/report.ts';
import { formatOffset } from '../../../report/run-axis.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { LineSearch } from '../../components/search-input.tsx';
import { formatCount } from '../../text/format.ts';
import { EvidenceProblem, MissingEvidenceNotice } from './missing-evidence.tsx';

/** The lines of the target's log that belong to this run. */
export function LogView({ report: { log, correlation_id: id } }: { report: Report }) {
  if (log === null) {
    return (
      <MissingEvidenceNotice title="The log was not read">
        <p>
          The executor of this environment does not read the target’s log, so the run has no log lines. The person who
          runs the executor can switch it on: <a href="/docs">see the documentation</a>.
        </p>
      </MissingEvidenceNotice>
    );
  }
  return <LogLines log={log} correlationId={id} />;
}

function LogLines({ log, correlationId }: { log: ReportLog; correlationId: string }) {
  const [searchText, setSearchText] = useState('');
  const matches = log.lines.filter(({ text }) => text.toLowerCase().includes(searchText.toLowerCase()));
  return (
    <>
      <p className="exchange-line">
        <span>
          <b>{formatCount(log.line_count, 'line')}</b> ·{' '}
          <ErrorCount count={log.error_count} unknown={log.errors_unknown !== undefined} /> ·{' '}
          {formatCount(log.saga_event_count, 'saga event')} · waited {formatDuration(log.waited_ms)}
        </span>
        {log.lines.length > 0 ? (
          <CopyButton text={log.lines.map(({ text }) => text).join('\n')} label="Copy lines" />
        ) : null}
      </p>
      <EvidenceProblem problem={log.problem} cure={log.cure} />
      {log.errors_unknown ? (
        <EvidenceProblem problem={log.errors_unknown.problem} cure={log.errors_unknown.cure} />
      ) : null}
      {log.lines.length > 0 ? (
        <LineSearch label="Search in the log" value={searchText} onSearch={setSearchText} matchCount={matches.length} />
      ) : null}
      {matches.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        <section className="lines log-lines" aria-label="Log" tabIndex={0}>
          <ol>
            {matches.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines may be alike, and never change places
              <LogLine key={index} line={line} correlationId={correlationId} />
            ))}
          </ol>
        </section>
      ) : null}
      {searchText === '' && log.line_count > log.lines.length ? (
        <p className="faint">Only the first {log.lines.length} lines are shown.</p>
      ) : null}
    </>
  );
}

/** `unknown`: the lines do not tell which of them are errors, so that none found is not none. */
function ErrorCount({ count, unknown }: { count: number; unknown: boolean }) {
  if (unknown && count === 0) return <span>errors unknown</span>;
  return (
    <span className={count > 0 ? 'is-failed' : undefined}>
      {count === 0 ? 'no errors' : formatCount(count, 'error')}
      {unknown ? ' or more' : ''}
    </span>
  );
}

function LogLine({ line, correlationId }: { line: ReportLog['lines'][number]; correlationId: string }) {
  const [beforeId = '', ...segments] = line.text.split(correlationId);
  return (
    <li className={line.error ? 'is-error' : undefined}>
      <span className="level" title="When it was written or seen, from the run’s start">
        {line.at_ms === undefined ? '' : formatOffset(line.at_ms)}
      </span>
      <span className="level">{line.level ?? ''}</span>
      <code>
        {beforeId}
        {segments.length > 0 ? (
          <>
            <mark>{correlationId}</mark>
            {segments.join(correlationId)}
          </>
        ) : null}
      </code>
      {line.error ? <span className="badge is-failed">error</span> : null}
      {line.saga_event ? <span className="badge">saga event</span> : null}
    </li>
  );
}

import type { RunDocument } from '../../../contract/api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { formatCount, formatDuration } from '../../text/format.ts';
import { getRunStatus, runStatusLabels } from '../../text/run-status.ts';

/** The result of the run and its reason. */
export function RunVerdict({ run }: { run: RunDocument }) {
  const status = getRunStatus(run);
  const { failure, notes = [], evidence_assertions_count: evidenceCount = 0 } = run.report ?? {};
  const message = failure?.message ?? run.failure_message;
  return (
    <section className={`verdict is-${status}`} aria-label="Verdict">
      <h1>
        <StatusIcon status={status} decorative /> {run.scenario_id}{' '}
        <span className="verdict-word">{runStatusLabels[status]}</span>
      </h1>
      <p className="facts">
        <span className="mono">{run.run_id}</span> <CopyButton text={run.run_id} />
        <span>
          <RelativeTime timestamp={run.requested_at} /> by {run.requested_by}
        </span>
        {run.duration_ms === null ? null : <span>{formatDuration(run.duration_ms)}</span>}
        {run.assertions_enforced_count ? (
          <span>{formatCount(run.assertions_enforced_count, 'check')} counted</span>
        ) : null}
        {evidenceCount > 0 ? <span>{formatCount(evidenceCount, 'check')} of log and database</span> : null}
      </p>
      {message === null || message === undefined ? null : <p className="verdict-message">{message}</p>}
      {run.failure_summary ? <p className="cure mono">{run.failure_summary}</p> : null}
      {failure?.cure && !run.failure_summary ? <p className="cure">{failure.cure}</p> : null}
      {notes.map((note) => (
        <p key={note} className="cure">
          {note}
        </p>
      ))}
    </section>
  );
}

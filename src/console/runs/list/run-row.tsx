import { memo } from 'react';
import { Link } from 'wouter';
import type { Run } from '../../../contract/api.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { useNow } from '../../components/use-now.ts';
import { runPath } from '../../paths.ts';
import { formatCoarseDuration, formatCount, formatDuration } from '../../text/format.ts';
import { getRunStatus } from '../../text/run-status.ts';

/** A run with its result; a failed one with the failed check and the actual value. */
export const RunRow = memo(function RunRow({ run }: { run: Run }) {
  return (
    <li>
      <Link href={runPath(run.run_id)} className={`run-row is-${getRunStatus(run)}`} data-row data-run={run.run_id}>
        <StatusIcon status={getRunStatus(run)} />
        <span className="run-name">{run.scenario_id}</span>
        <span className="run-summary">
          <RunSummary run={run} />
        </span>
        <span className="run-duration">{run.duration_ms === null ? '' : formatDuration(run.duration_ms)}</span>
        <span className="run-time">
          <RelativeTime timestamp={run.requested_at} />
        </span>
        <span className="run-by">by {run.requested_by}</span>
      </Link>
    </li>
  );
});

function RunSummary({ run }: { run: Run }) {
  switch (getRunStatus(run)) {
    case 'failed':
    case 'broken':
      return <>{run.failure_summary ?? run.failure_message}</>;
    case 'passed':
      return <span className="faint">{describePassed(run)}</span>;
    case 'running':
      return <RunningTime since={run.started_at ?? run.requested_at} isCancelling={run.cancel_requested} />;
    case 'queued':
      return <span className="faint">queued</span>;
    case 'cancelled':
      return <span className="faint">cancelled</span>;
  }
}

function describePassed({ assertions_enforced_count: count, observed_status: status }: Run): string {
  return count === null || count === 0 ? `status ${status}` : formatCount(count, 'body check');
}

function RunningTime({ since, isCancelling }: { since: string; isCancelling: boolean }) {
  const text = useNow((nowMs) => formatCoarseDuration(Math.max(0, nowMs - Date.parse(since))));
  return <span className="faint">{isCancelling ? `cancelling, ${text}` : `running, ${text}`}</span>;
}

import { memo } from 'react';
import { Link } from 'wouter';
import type { Run } from '../../../contract/api.ts';
import { formatDuration } from '../../../report/measures.ts';
import { SelectCell } from '../../bulk/select-cells.tsx';
import type { RowSelection } from '../../bulk/use-selection.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { useNow } from '../../components/use-now.ts';
import { runPath } from '../../paths.ts';
import { QuarantineMark } from '../../quarantines/quarantine-mark.tsx';
import { formatCoarseDuration, formatCount } from '../../text/format.ts';
import { getRunStatus, isDraftRun } from '../../text/run-status.ts';

type RunRowProps = {
  readonly run: Run;
  readonly isSelected: boolean;
  /** Undefined where rows cannot be selected. */
  readonly onToggle: RowSelection['toggle'] | undefined;
};

/** A run with its result; a failed one with the failed check and the actual value. */
export const RunTableRow = memo(function RunRow({ run, isSelected, onToggle }: RunRowProps) {
  const status = getRunStatus(run);
  return (
    <tr
      className={`run-row is-${status}${isSelected ? ' is-selected' : ''}`}
      data-run={run.run_id}
      data-select={onToggle && run.run_id}
    >
      {onToggle ? (
        <SelectCell
          id={run.run_id}
          label={`run ${run.run_id} of ${run.scenario_id}`}
          isSelected={isSelected}
          onToggle={onToggle}
        />
      ) : null}
      <td className="run-mark">
        <StatusIcon status={status} />
      </td>
      <td className="run-scenario">
        <Link href={runPath(run.run_id)} className="run-name" data-row>
          {run.scenario_id}
        </Link>{' '}
        <QuarantineMark quarantine={run.quarantine} />
        {isDraftRun(run) ? <span className="badge">draft</span> : null}
      </td>
      <td className="run-title">{run.title}</td>
      <td className="run-status">{run.observed_status ?? ''}</td>
      <td className="run-summary">
        <RunSummary run={run} />
        {run.target_version === undefined ? null : (
          <span className="faint run-version">
            version <span className="mono">{run.target_version}</span>
          </span>
        )}
      </td>
      <td className="run-duration">
        <RunDuration run={run} />
      </td>
      <td className="run-time">
        <RelativeTime timestamp={run.requested_at} />
      </td>
      <td className="run-by" title={run.requested_by}>
        {run.requested_by}
      </td>
    </tr>
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
      return <RunningTime run={run} />;
    case 'queued':
      return <span className="faint">queued</span>;
    case 'cancelled':
      return <span className="faint">cancelled</span>;
  }
}

function describePassed({ assertions_enforced_count: count }: Run): string {
  return count === null || count === 0 ? 'status only' : formatCount(count, 'body check');
}

export function RunningTime({ run }: { run: Run }) {
  const since = run.started_at ?? run.requested_at;
  const text = useNow((nowMs) => formatCoarseDuration(Math.max(0, nowMs - Date.parse(since))));
  return <span className="faint">{run.cancel_requested ? `cancelling, ${text}` : `running, ${text}`}</span>;
}

/** Below this, reading log and database took no time worth a column. */
const minEvidenceMs = 100;

/** How long the run waited for log and database after the response was judged. */
function getEvidenceWaitMs({ started_at: start, finished_at: end, duration_ms: durationMs }: Run): number {
  if (start === null || end === null || durationMs === null) return 0;
  const waitMs = Date.parse(end) - Date.parse(start) - durationMs;
  return waitMs < minEvidenceMs ? 0 : waitMs;
}

function RunDuration({ run }: { run: Run }) {
  const { duration_ms: durationMs } = run;
  if (durationMs === null) return null;
  const waitMs = getEvidenceWaitMs(run);
  if (waitMs === 0) return <>{formatDuration(durationMs)}</>;
  return (
    <span
      title={`${formatDuration(durationMs)} until the response was judged, then ${formatDuration(waitMs)} for log and database`}
    >
      {formatDuration(durationMs)} <span className="faint">+ {formatDuration(waitMs)}</span>
    </span>
  );
}

import { memo } from 'react';
import { Link } from 'wouter';
import type { Run } from '../../contract/api.ts';
import { Ago } from '../parts/ago.tsx';
import { Mark } from '../parts/mark.tsx';
import { runPath } from '../shell/paths.ts';
import { lookOf } from '../words/look.ts';
import { countText, durationText, spanText } from '../words/moments.ts';
import { useNow } from '../words/use-now.ts';

/** One run: what became of it, and where it failed, which check and what came instead. */
export const RunRow = memo(function RunRow({ run }: { run: Run }) {
  return (
    <li>
      <Link href={runPath(run.run_id)} className={`run-row is-${lookOf(run)}`} data-row data-run={run.run_id}>
        <Mark look={lookOf(run)} />
        <span className="run-name">{run.scenario_id}</span>
        <span className="run-told">
          <Told run={run} />
        </span>
        <span className="run-took">{run.duration_ms === null ? '' : durationText(run.duration_ms)}</span>
        <span className="run-when">
          <Ago at={run.requested_at} />
        </span>
        <span className="run-by">by {run.requested_by}</span>
      </Link>
    </li>
  );
});

function Told({ run }: { run: Run }) {
  switch (lookOf(run)) {
    case 'failed':
    case 'broken':
      return <>{run.failure_summary ?? run.failure_message}</>;
    case 'passed':
      return <span className="faint">{passedText(run)}</span>;
    case 'running':
      return <Running since={run.started_at ?? run.requested_at} cancelling={run.cancel_requested} />;
    case 'queued':
      return <span className="faint">queued</span>;
    case 'cancelled':
      return <span className="faint">cancelled</span>;
  }
}

function passedText({ assertions_enforced_count: count, observed_status: status }: Run): string {
  return count === null || count === 0 ? `status ${status}` : countText(count, 'body check');
}

function Running({ since, cancelling }: { since: string; cancelling: boolean }) {
  const text = useNow((nowMs) => spanText(Math.max(0, nowMs - Date.parse(since))));
  return <span className="faint">{cancelling ? `stopping, ${text}` : `running, ${text}`}</span>;
}

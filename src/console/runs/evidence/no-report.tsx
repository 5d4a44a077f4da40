import { Link } from 'wouter';
import type { RunDocument } from '../../../contract/api.ts';
import { useInstance } from '../../shell/current-instance.ts';
import { formatCount } from '../../text/format.ts';

/** Says why there is no report. */
export function NoReport({ run }: { run: RunDocument }) {
  const reasons: Readonly<Record<RunDocument['state'], string>> = {
    queued: describeQueuePosition(run.queue_position),
    in_progress: 'The run is still running. Evidence appears with the verdict.',
    cancelled: 'The run was cancelled before it produced evidence.',
    passed: 'The report has expired.',
    failed: run.report_expired ? 'The report has expired.' : 'The executor sent no report.',
  };
  return (
    <>
      <p className="faint">{reasons[run.state]}</p>
      {run.state === 'queued' ? <ExecutorUnavailable instance={run.instance} /> : null}
    </>
  );
}

function describeQueuePosition(position: number): string {
  return position > 0 ? `Waiting for ${formatCount(position, 'run')} ahead of it.` : 'Waiting for the executor.';
}

/** Says that no executor can start the run. */
function ExecutorUnavailable({ instance }: { instance: string }) {
  const status = useInstance(instance)?.executor_status;
  if (status === undefined || status === 'REGISTERED') return null;
  return (
    <p>
      The executor of {instance} {status === 'AWAY' ? 'is away' : 'has never connected'}:{' '}
      <Link href="/settings/environments">how to fix</Link>.
    </p>
  );
}

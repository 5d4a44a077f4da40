import { Link } from 'wouter';
import type { RunDocument } from '../../contract/api.ts';
import { useInstance } from '../shell/current-instance.ts';
import { countText } from '../words/moments.ts';

/** Why there is nothing to see, and whether there will be. */
export function NoReport({ run }: { run: RunDocument }) {
  const why: Readonly<Record<RunDocument['state'], string>> = {
    queued: queuedText(run.queue_position),
    in_progress: 'It is running; evidence comes with the verdict.',
    cancelled: 'It was cancelled before there was anything to see.',
    passed: 'Its report has expired.',
    failed: run.report_expired ? 'Its report has expired.' : 'Its executor never reported.',
  };
  return (
    <>
      <p className="faint">{why[run.state]}</p>
      {run.state === 'queued' ? <Away instance={run.instance} /> : null}
    </>
  );
}

function queuedText(position: number): string {
  return position > 0 ? `It waits for ${countText(position, 'run')} before it.` : 'It waits for the executor.';
}

/** Says so where nobody is there to take the run up. */
function Away({ instance }: { instance: string }) {
  const status = useInstance(instance)?.executor_status;
  if (status === undefined || status === 'REGISTERED') return null;
  return (
    <p>
      The executor of {instance} {status === 'AWAY' ? 'is away' : 'has never called'}:{' '}
      <Link href="/settings/environments">what to do</Link>.
    </p>
  );
}

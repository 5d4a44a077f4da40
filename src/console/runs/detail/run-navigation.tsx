import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import type { Run } from '../../../contract/api.ts';
import { StatusIcon } from '../../components/status-icon.tsx';
import { runPath, runsPath } from '../../paths.ts';
import { useKeys } from '../../shell/use-keys.ts';
import { getRunStatus } from '../../text/run-status.ts';
import { useEarlierRun, useLaterRun } from './use-run.ts';

/** Links to the previous and the next run of the same scenario. */
export function RunNavigation({ run }: { run: Run }) {
  const { data: earlier } = useEarlierRun(run);
  const { data: later } = useLaterRun(run);
  const [, navigate] = useLocation();
  const actions = useMemo(
    () => ({
      p: () => earlier && navigate(runPath(earlier.run_id)),
      n: () => later && navigate(runPath(later.run_id)),
    }),
    [earlier, later, navigate],
  );
  useKeys(actions);
  return (
    <nav className="breadcrumb" aria-label="Runs of this scenario">
      <Link href={runsPath(run.instance)}>{run.instance}</Link>
      <span className="faint">/</span>
      <Link href={`${runsPath(run.instance)}?scenario=${encodeURIComponent(run.scenario_id)}`}>{run.scenario_id}</Link>
      <span className="grow" />
      <RunLink run={earlier} text="‹ Previous" />
      <RunLink run={later} text="Next ›" />
    </nav>
  );
}

function RunLink({ run, text }: { run: Run | null | undefined; text: string }) {
  if (!run) return <span className="faint">{text}</span>;
  return (
    <Link href={runPath(run.run_id)}>
      {text} <StatusIcon status={getRunStatus(run)} />
    </Link>
  );
}

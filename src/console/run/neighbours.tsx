import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import type { Run } from '../../contract/api.ts';
import { Mark } from '../parts/mark.tsx';
import { runPath, runsPath } from '../shell/paths.ts';
import { useKeys } from '../shell/use-keys.ts';
import { lookOf } from '../words/look.ts';
import { useEarlierRun, useLaterRun } from './use-run.ts';

/** Ways to the runs of the same scenario before and after this one. */
export function Neighbours({ run }: { run: Run }) {
  const { data: earlier } = useEarlierRun(run);
  const { data: later } = useLaterRun(run);
  const [, go] = useLocation();
  const actions = useMemo(
    () => ({ p: () => earlier && go(runPath(earlier.run_id)), n: () => later && go(runPath(later.run_id)) }),
    [earlier, later, go],
  );
  useKeys(actions);
  return (
    <nav className="neighbours" aria-label="Runs of this scenario">
      <Link href={runsPath(run.instance)}>{run.instance}</Link>
      <span className="faint">/</span>
      <Link href={`${runsPath(run.instance)}?scenario=${encodeURIComponent(run.scenario_id)}`}>{run.scenario_id}</Link>
      <span className="grow" />
      <Way run={earlier} text="‹ Previous" />
      <Way run={later} text="Next ›" />
    </nav>
  );
}

function Way({ run, text }: { run: Run | null | undefined; text: string }) {
  if (!run) return <span className="faint">{text}</span>;
  return (
    <Link href={runPath(run.run_id)}>
      {text} <Mark look={lookOf(run)} />
    </Link>
  );
}

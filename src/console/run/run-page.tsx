import { useSearchParams } from 'wouter';
import type { RunDocument } from '../../contract/api.ts';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useRememberInstance } from '../shell/current-instance.ts';
import { lookOf, lookWords } from '../words/look.ts';
import { Evidence, type EvidenceTab, evidenceTabs } from './evidence.tsx';
import { Neighbours } from './neighbours.tsx';
import { RunActions } from './run-actions.tsx';
import { ScenarioChecks } from './scenario-checks.tsx';
import { useRun } from './use-run.ts';
import { Verdict } from './verdict.tsx';

/** The whole story of one run. */
export default function RunPage({ runId }: { runId: string }) {
  const { data: run, error, refetch } = useRun(runId);
  useRememberInstance(run?.instance);
  if (error && !run) return <Problem error={error} retry={refetch} />;
  if (!run) return <Skeleton rows={10} label="Loading the run" />;
  return (
    <>
      <title>{`${run.scenario_id} ${lookWords[lookOf(run)]} · vp`}</title>
      <Neighbours run={run} />
      <Story run={run} />
    </>
  );
}

/** Tab, check and comparison stand in the address; the first failing check is chosen by itself. */
function Story({ run }: { run: RunDocument }) {
  const [search, setSearch] = useSearchParams();
  const set = (values: Readonly<Record<string, string>>): void =>
    setSearch(
      (before) => {
        for (const [name, value] of Object.entries(values)) before.set(name, value);
        return before;
      },
      { replace: true },
    );
  const report = run.report ?? run.late_report;
  const tab = evidenceTabs.find((name) => name === search.get('tab')) ?? firstTab(report);
  const line = search.get('check');
  const firstFailed = report?.failed_checks[0]?.line;
  const choose = (check: number): void => {
    const looksAt = report?.checks.find(({ line }) => line === check)?.looks_at;
    set({ check: String(check), tab: looksAt ?? 'response' });
  };
  return (
    <>
      <div className="run-head">
        <Verdict run={run} />
        <RunActions run={run} onCompare={() => set({ tab: 'compare', with: 'passed' })} />
      </div>
      <div className="run-panes">
        {run.scenario_text === null ? null : (
          <ScenarioChecks
            text={run.scenario_text}
            checks={report?.checks ?? []}
            chosen={line === null ? firstFailed : Number(line)}
            asked={line !== null}
            onChoose={choose}
          />
        )}
        <Evidence
          run={run}
          tab={tab}
          chosen={line === null ? firstFailed : Number(line)}
          asked={line !== null}
          compared={search.get('with') === 'passed' ? 'passed' : 'previous'}
          onTab={(name: EvidenceTab) => set({ tab: name })}
          onChoose={choose}
          onCompare={(which) => set({ with: which })}
        />
      </div>
      {run.late_report ? (
        <p className="faint">A report came after the run had ended; what it says is shown only here.</p>
      ) : null}
    </>
  );
}

/** The evidence that the first failing check looks at. */
function firstTab(report: RunDocument['report']): EvidenceTab {
  return report?.checks.find(({ outcome }) => outcome === 'failed')?.looks_at ?? 'response';
}

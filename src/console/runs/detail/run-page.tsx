import { Link, useSearchParams } from 'wouter';
import type { RunDocument } from '../../../contract/api.ts';
import { VpError } from '../../../errors/vp-error.ts';
import type { ReportCheck } from '../../../report/report.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { runsPath } from '../../paths.ts';
import { useCurrentInstance, useRememberInstance } from '../../shell/current-instance.ts';
import { getRunStatus, runStatusLabels } from '../../text/run-status.ts';
import { EvidencePanel, type EvidenceTab, evidenceTabs } from '../evidence/evidence.tsx';
import { RunActions } from './run-actions.tsx';
import { RunNavigation } from './run-navigation.tsx';
import { RunVerdict } from './run-verdict.tsx';
import { ScenarioChecks } from './scenario-checks.tsx';
import { useRun } from './use-run.ts';

export default function RunPage({ runId }: { runId: string }) {
  const { data: run, error, refetch } = useRun(runId);
  useRememberInstance(run?.instance);
  if (error && !run) return <UnavailableRun runId={runId} error={error} retry={refetch} />;
  if (!run) return <Skeleton rows={10} label="Loading the run" />;
  return (
    <>
      <title>{`${run.scenario_id} ${runStatusLabels[getRunStatus(run)]} · vp`}</title>
      <RunNavigation run={run} />
      <RunDetails run={run} />
    </>
  );
}

type UnavailableRunProps = { readonly runId: string; readonly error: Error; readonly retry: () => unknown };

function UnavailableRun({ runId, error, retry }: UnavailableRunProps) {
  const instance = useCurrentInstance();
  if (!(error instanceof VpError) || error.code !== 'RUN_UNKNOWN') return <ErrorNotice error={error} retry={retry} />;
  return (
    <EmptyState isPage title="Run not found">
      <title>Run not found · vp</title>
      <p>
        There is no run <code>{runId}</code>. Its environment may have been removed, or it is too old.
      </p>
      {instance === undefined ? null : <Link href={runsPath(instance)}>Go to the runs of {instance}</Link>}
    </EmptyState>
  );
}

/** Tab, check and comparison are part of the address. By default the first failed check is selected. */
function RunDetails({ run }: { run: RunDocument }) {
  const [search, setSearch] = useSearchParams();
  const setParams = (values: Readonly<Record<string, string>>): void =>
    setSearch(
      (params) => {
        for (const [name, value] of Object.entries(values)) params.set(name, value);
        return params;
      },
      { replace: true },
    );
  const report = run.report ?? run.late_report;
  const tab = evidenceTabs.find((name) => name === search.get('tab')) ?? getFirstTab(report);
  const checkParam = search.get('check');
  const firstFailed = report?.failed_checks[0]?.line;
  const selectCheck = (check: number): void => {
    const judged = report?.checks.find(({ line }) => line === check);
    setParams({ check: String(check), tab: judged ? getCheckTab(judged) : 'response' });
  };
  return (
    <>
      <div className="run-head">
        <RunVerdict run={run} />
        <RunActions run={run} onCompare={() => setParams({ tab: 'compare', with: 'passed' })} />
      </div>
      <div className="run-panes">
        {run.scenario_text === null ? null : (
          <ScenarioChecks
            text={run.scenario_text}
            checks={report?.checks ?? []}
            selected={checkParam === null ? firstFailed : Number(checkParam)}
            selectedByUser={checkParam !== null}
            onSelect={selectCheck}
          />
        )}
        <EvidencePanel
          run={run}
          tab={tab}
          selectedLine={checkParam === null ? firstFailed : Number(checkParam)}
          selectedByUser={checkParam !== null}
          comparison={search.get('with') === 'passed' ? 'passed' : 'previous'}
          onSelectTab={(name: EvidenceTab) => setParams({ tab: name })}
          onSelectCheck={selectCheck}
          onComparisonChange={(which) => setParams({ with: which })}
        />
      </div>
      {run.late_report ? (
        <p className="faint">This report arrived after the run had ended and does not change its result.</p>
      ) : null}
    </>
  );
}

function getCheckTab({ step, looks_at }: ReportCheck): EvidenceTab {
  return step === undefined ? looks_at : 'steps';
}

/** Returns the evidence that the first failed check judges. Without a response it is the request, with its timeline. */
function getFirstTab(report: RunDocument['report']): EvidenceTab {
  const failedCases = report?.cases?.filter(({ outcome }) => outcome !== 'passed') ?? [];
  if (failedCases.length > 1) return 'cases';
  const failed = report?.checks.find(({ outcome }) => outcome === 'failed');
  if (failed?.step !== undefined || report?.steps?.some(({ outcome }) => outcome !== 'passed')) return 'steps';
  if (report && !report.exchange.response) return 'request';
  return failed ? getCheckTab(failed) : 'response';
}

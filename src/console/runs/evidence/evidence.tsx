import type { RunDocument } from '../../../contract/api.ts';
import type { Report } from '../../../report/report.ts';
import { type Tab, Tabs } from '../../components/tabs.tsx';
import { CasesView } from './cases-view.tsx';
import { CompareView } from './compare-view.tsx';
import { DatabaseView } from './database-view.tsx';
import { LogView } from './log-view.tsx';
import { NoReport } from './no-report.tsx';
import { ProofView } from './proof-view.tsx';
import { RequestView } from './request-view.tsx';
import { ResponseView } from './response-view.tsx';
import { hasStepsToShow, StepsView } from './steps-view.tsx';
import { TimingView } from './timing-view.tsx';

export const evidenceTabs = [
  'cases',
  'response',
  'request',
  'log',
  'database',
  'steps',
  'timing',
  'proof',
  'compare',
] as const;
export type EvidenceTab = (typeof evidenceTabs)[number];

type EvidenceProps = {
  readonly run: RunDocument;
  readonly tab: EvidenceTab;
  readonly selectedLine: number | undefined;
  readonly selectedByUser: boolean;
  readonly comparison: 'previous' | 'passed';
  readonly onSelectTab: (tab: EvidenceTab) => void;
  readonly onSelectCheck: (line: number) => void;
  readonly onComparisonChange: (which: 'previous' | 'passed') => void;
};

const labels: Readonly<Record<EvidenceTab, string>> = {
  cases: 'Cases',
  response: 'Response',
  request: 'Request',
  log: 'Log',
  database: 'Database',
  steps: 'Steps',
  timing: 'Timing',
  proof: 'Proof',
  compare: 'Compare',
};

/** The evidence of a run, by tab. */
export function EvidencePanel(props: EvidenceProps) {
  const { run, tab, onSelectTab } = props;
  const report = run.report ?? run.late_report;
  const visibleTabs = evidenceTabs.filter(
    (name) => (name !== 'steps' || hasStepsToShow(report)) && (name !== 'cases' || report?.cases !== undefined),
  );
  const tabs = visibleTabs.map(
    (name): Tab<EvidenceTab> => ({
      name,
      label: labels[name],
      badge: getTabBadge(name, run.report),
    }),
  );
  return (
    <section className="evidence" aria-label="Evidence">
      <Tabs label="Evidence" tabs={tabs} selected={tab} onSelect={onSelectTab}>
        <Panel {...props} />
      </Tabs>
    </section>
  );
}

/** Returns the status or the count that a tab displays. */
function getTabBadge(name: EvidenceTab, report: RunDocument['report']): string | undefined {
  if (!report) return undefined;
  const { exchange, log, queries, proof } = report;
  if (name === 'cases') return report.cases?.length.toString();
  if (name === 'response') return exchange.response?.status.toString();
  if (name === 'log') return log?.line_count.toString();
  if (name === 'database') return queries.length > 0 ? queries.length.toString() : undefined;
  if (name === 'steps') return countUnpassedSteps(report);
  const weak = proof?.checks.filter(({ verdict }) => verdict === 'never_fails').length;
  return name === 'proof' && weak ? `${weak} weak` : undefined;
}

/** Returns undefined where every step and the cleanup passed. */
function countUnpassedSteps({ steps = [], cleanup = [] }: Report): string | undefined {
  const count = [...steps, ...cleanup].filter(({ outcome }) => outcome !== 'passed').length;
  return count === 0 ? undefined : `${count} not passed`;
}

function Panel({
  run,
  tab,
  selectedLine,
  selectedByUser,
  comparison,
  onSelectCheck,
  onComparisonChange,
}: EvidenceProps) {
  const report = run.report ?? run.late_report;
  if (tab === 'compare')
    return <CompareView run={run} comparison={comparison} onComparisonChange={onComparisonChange} />;
  if (!report) return <NoReport run={run} />;
  if (tab === 'request')
    return (
      <>
        <RequestView report={report} />
        {report.exchange.response ? null : (
          <section aria-labelledby="timeline">
            <h2 id="timeline">Timeline</h2>
            <TimingView report={report} />
          </section>
        )}
      </>
    );
  if (tab === 'cases') return <CasesView report={report} />;
  if (tab === 'log') return <LogView report={report} />;
  if (tab === 'database') return <DatabaseView report={report} />;
  if (tab === 'steps') return <StepsView report={report} />;
  if (tab === 'proof') return <ProofView run={run} report={report} onSelectCheck={onSelectCheck} />;
  if (tab === 'timing') return <TimingView report={report} />;
  return (
    <ResponseView
      report={report}
      selectedLine={selectedLine}
      selectedByUser={selectedByUser}
      onSelectCheck={onSelectCheck}
    />
  );
}

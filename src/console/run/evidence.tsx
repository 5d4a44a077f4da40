import type { RunDocument } from '../../contract/api.ts';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { CompareView } from './compare-view.tsx';
import { DatabaseView } from './database-view.tsx';
import { LogView } from './log-view.tsx';
import { NoReport } from './no-report.tsx';
import { ProofView } from './proof-view.tsx';
import { RequestView } from './request-view.tsx';
import { ResponseView } from './response-view.tsx';
import { TimingView } from './timing-view.tsx';

/** The tabs. */
export const evidenceTabs = ['response', 'request', 'log', 'database', 'timing', 'proof', 'compare'] as const;
/** One of {@link evidenceTabs}. */
export type EvidenceTab = (typeof evidenceTabs)[number];

type EvidenceProps = {
  readonly run: RunDocument;
  readonly tab: EvidenceTab;
  readonly chosen: number | undefined;
  readonly asked: boolean;
  readonly compared: 'previous' | 'passed';
  readonly onTab: (tab: EvidenceTab) => void;
  readonly onChoose: (line: number) => void;
  readonly onCompare: (which: 'previous' | 'passed') => void;
};

const labels: Readonly<Record<EvidenceTab, string>> = {
  response: 'Response',
  request: 'Request',
  log: 'Log',
  database: 'Database',
  timing: 'Timing',
  proof: 'Proof',
  compare: 'Compare',
};

/** What was observed. */
export function Evidence(props: EvidenceProps) {
  const { run, tab, onTab } = props;
  const tabs = evidenceTabs.map(
    (name): Tab<EvidenceTab> => ({
      name,
      label: labels[name],
      note: noteOf(name, run.report),
    }),
  );
  return (
    <section className="evidence" aria-label="Evidence">
      <Tabs label="Evidence" tabs={tabs} chosen={tab} onChoose={onTab}>
        <Panel {...props} />
      </Tabs>
    </section>
  );
}

/** How much there is behind a tab. */
function noteOf(name: EvidenceTab, report: RunDocument['report']): string | undefined {
  if (!report) return undefined;
  const { exchange, log, queries, proof } = report;
  if (name === 'response') return exchange.response?.status.toString();
  if (name === 'log') return log?.line_count.toString();
  if (name === 'database') return queries.length > 0 ? queries.length.toString() : undefined;
  const weak = proof?.checks.filter(({ verdict }) => verdict === 'never_fails').length;
  return name === 'proof' && weak ? `${weak} weak` : undefined;
}

function Panel({ run, tab, chosen, asked, compared, onChoose, onCompare }: EvidenceProps) {
  const report = run.report ?? run.late_report;
  if (tab === 'compare') return <CompareView run={run} with={compared} onChange={onCompare} />;
  if (!report) return <NoReport run={run} />;
  if (tab === 'request') return <RequestView report={report} />;
  if (tab === 'log') return <LogView report={report} />;
  if (tab === 'database') return <DatabaseView report={report} />;
  if (tab === 'proof') return <ProofView run={run} report={report} onChoose={onChoose} />;
  if (tab === 'timing') return <TimingView report={report} />;
  return <ResponseView report={report} chosen={chosen} asked={asked} onChoose={onChoose} />;
}

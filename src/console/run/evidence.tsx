import type { RunDocument } from '../../contract/api.ts';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { CompareView } from './compare-view.tsx';
import { NoReport } from './no-report.tsx';
import { RequestView } from './request-view.tsx';
import { ResponseView } from './response-view.tsx';
import { TimingView } from './timing-view.tsx';

/** The tabs; log lines and database evidence join when reports have them. */
export const evidenceTabs = ['response', 'request', 'timing', 'compare'] as const;
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
  timing: 'Timing',
  compare: 'Compare',
};

/** What was observed. */
export function Evidence(props: EvidenceProps) {
  const { run, tab, onTab } = props;
  const status = run.report?.exchange.response?.status;
  const tabs = evidenceTabs.map(
    (name): Tab<EvidenceTab> => ({
      name,
      label: labels[name],
      note: name === 'response' ? status?.toString() : undefined,
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

function Panel({ run, tab, chosen, asked, compared, onChoose, onCompare }: EvidenceProps) {
  const report = run.report ?? run.late_report;
  if (tab === 'compare') return <CompareView run={run} with={compared} onChange={onCompare} />;
  if (!report) return <NoReport run={run} />;
  if (tab === 'request') return <RequestView report={report} />;
  if (tab === 'timing') return <TimingView report={report} />;
  return <ResponseView report={report} chosen={chosen} asked={asked} onChoose={onChoose} />;
}

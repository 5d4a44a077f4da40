import type { RunDocument } from '../../contract/api.ts';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { CompareView } from './compare-view.tsx';
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

function NoReport({ run }: { run: RunDocument }) {
  const why: Readonly<Record<RunDocument['state'], string>> = {
    queued:
      run.queue_position > 0 ? `It waits for ${run.queue_position} runs before it.` : 'It waits for the executor.',
    in_progress: 'It is running; evidence comes with the verdict.',
    cancelled: 'It was cancelled before there was anything to see.',
    passed: 'Its report has expired.',
    failed: run.report_expired ? 'Its report has expired.' : 'Its executor never reported.',
  };
  return <p className="faint">{why[run.state]}</p>;
}

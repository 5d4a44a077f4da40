import { useState } from 'react';
import type { CallHubToolResponse } from '../../../contract/hubs/connection-use-api.ts';
import { formatDuration, formatSize } from '../../../report/measures.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { callOutcomes } from '../audit/call-outcomes.ts';
import { type ResultPart, toResultParts } from './result-parts.ts';

const views = [
  { name: 'content', label: 'Content' },
  { name: 'raw', label: 'Full result' },
] as const;

export function CallResult({ result }: { result: CallHubToolResponse }) {
  const [view, setView] = useState<'content' | 'raw'>('content');
  const [status, label] = callOutcomes[result.outcome];
  const raw = JSON.stringify(result.result, undefined, 2);
  const parts = toResultParts(result.result);
  return (
    <section className="call-result" aria-label="Result">
      <p role="status">
        <StatusIcon status={status} decorative title={label} /> <b>{label}</b>{' '}
        <span className="faint">
          in {formatDuration(result.duration_ms)}, {formatSize(new Blob([raw]).size)}
        </span>
      </p>
      <Tabs label="Result format" tabs={views} selected={view} onSelect={setView}>
        {view === 'raw' ? (
          <ResultText text={raw} />
        ) : parts.length === 0 ? (
          <p className="faint">No content.</p>
        ) : (
          <div className="call-parts">
            {parts.map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order of parts never changes
              <ResultPartView key={index} part={part} />
            ))}
          </div>
        )}
      </Tabs>
    </section>
  );
}

function ResultPartView({ part }: { part: ResultPart }) {
  if (part.kind === 'image') return <img src={part.source} alt="Tool result" />;
  return (
    <>
      {part.label === '' ? null : <h3>{part.label}</h3>}
      <ResultText text={part.text} />
    </>
  );
}

function ResultText({ text }: { text: string }) {
  return (
    <div className="snippet">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} />
    </div>
  );
}

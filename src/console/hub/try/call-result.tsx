import { useState } from 'react';
import type { HubToolCalled } from '../../../contract/hub-connect-api.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { durationText, sizeText } from '../../words/moments.ts';
import { outcomes } from '../outcomes.ts';
import { type ResultPart, resultParts } from './result-parts.ts';

const views = [
  { name: 'content', label: 'Content' },
  { name: 'raw', label: 'Whole result' },
] as const;

/** What a call gave. */
export function CallResult({ called }: { called: HubToolCalled }) {
  const [view, setView] = useState<'content' | 'raw'>('content');
  const [look, words] = outcomes[called.outcome];
  const raw = JSON.stringify(called.result, undefined, 2);
  const parts = resultParts(called.result);
  return (
    <section className="call-result" aria-label="Result">
      <p role="status">
        <Mark look={look} silent title={words} /> <b>{words}</b>{' '}
        <span className="faint">
          in {durationText(called.duration_ms)}, {sizeText(new Blob([raw]).size)}
        </span>
      </p>
      <Tabs label="Result as" tabs={views} chosen={view} onChoose={setView}>
        {view === 'raw' ? (
          <Text text={raw} />
        ) : parts.length === 0 ? (
          <p className="faint">It has no content.</p>
        ) : (
          <div className="call-parts">
            {parts.map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts never change places
              <Part key={index} part={part} />
            ))}
          </div>
        )}
      </Tabs>
    </section>
  );
}

function Part({ part }: { part: ResultPart }) {
  if (part.kind === 'image') return <img src={part.source} alt="What the tool gave" />;
  return (
    <>
      {part.label === '' ? null : <h3>{part.label}</h3>}
      <Text text={part.text} />
    </>
  );
}

function Text({ text }: { text: string }) {
  return (
    <div className="snippet">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} />
    </div>
  );
}

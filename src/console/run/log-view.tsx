import { useState } from 'react';
import type { Report, ReportLog } from '../../report/report.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { countText, durationText } from '../words/moments.ts';
import { NotLooked, Shortcoming } from './looked.tsx';

/** The target's own lines of this run. */
export function LogView({ report: { log, correlation_id: id } }: { report: Report }) {
  if (log === null) {
    return (
      <NotLooked title="Nobody looked at the log">
        <p>
          The executor reads no log of the target. Start it anew with <code>--log</code>: a file, <code>-</code> for
          standard input, or <code>unix:</code> and the socket of a log reader. From then on every run shows its lines.
        </p>
      </NotLooked>
    );
  }
  return <Lines log={log} correlationId={id} />;
}

function Lines({ log, correlationId }: { log: ReportLog; correlationId: string }) {
  const [words, setWords] = useState('');
  const found = log.lines.filter(({ text }) => text.toLowerCase().includes(words.toLowerCase()));
  return (
    <>
      <p className="exchange-line">
        <span>
          <b>{countText(log.line_count, 'line')}</b> · <Errors count={log.error_count} /> ·{' '}
          {countText(log.saga_event_count, 'saga event')} · looked for {durationText(log.waited_ms)}
        </span>
        {log.lines.length > 0 ? (
          <CopyButton text={log.lines.map(({ text }) => text).join('\n')} label="Copy lines" />
        ) : null}
      </p>
      <Shortcoming problem={log.problem} cure={log.cure} />
      {log.lines.length > 0 ? (
        <div className="find">
          <input
            type="search"
            data-search
            aria-label="Search in the log"
            placeholder="Search in the log  /"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          <span className="faint" role="status">
            {words === '' ? '' : countText(found.length, 'line')}
          </span>
        </div>
      ) : null}
      {found.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        <section className="lines log-lines" aria-label="Log" tabIndex={0}>
          <ol>
            {found.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines may be alike, and never change places
              <Line key={index} line={line} correlationId={correlationId} />
            ))}
          </ol>
        </section>
      ) : null}
      {words === '' && log.line_count > log.lines.length ? (
        <p className="faint">The first {log.lines.length} are shown.</p>
      ) : null}
    </>
  );
}

function Errors({ count }: { count: number }) {
  return (
    <span className={count > 0 ? 'is-failed' : undefined}>{count === 0 ? 'no errors' : countText(count, 'error')}</span>
  );
}

function Line({ line, correlationId }: { line: ReportLog['lines'][number]; correlationId: string }) {
  const [before = '', ...behind] = line.text.split(correlationId);
  return (
    <li className={line.error ? 'is-error' : undefined}>
      <span className="level">{line.level ?? ''}</span>
      <code>
        {before}
        {behind.length > 0 ? (
          <>
            <mark>{correlationId}</mark>
            {behind.join(correlationId)}
          </>
        ) : null}
      </code>
      {line.error ? <span className="badge is-failed">error</span> : null}
      {line.saga_event ? <span className="badge">saga event</span> : null}
    </li>
  );
}

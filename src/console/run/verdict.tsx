import type { RunDocument } from '../../contract/api.ts';
import { Ago } from '../parts/ago.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Mark } from '../parts/mark.tsx';
import { lookOf, lookWords } from '../words/look.ts';
import { countText, durationText } from '../words/moments.ts';

/** What became of the run, in one line, and why in the next. */
export function Verdict({ run }: { run: RunDocument }) {
  const look = lookOf(run);
  const { failure, notes = [], evidence_assertions_count: evidenceCount = 0 } = run.report ?? {};
  const message = failure?.message ?? run.failure_message;
  return (
    <section className={`verdict is-${look}`} aria-label="Verdict">
      <h1>
        <Mark look={look} silent /> {run.scenario_id} <span className="verdict-word">{lookWords[look]}</span>
      </h1>
      <p className="facts">
        <span className="mono">{run.run_id}</span> <CopyButton text={run.run_id} />
        <span>
          <Ago at={run.requested_at} /> by {run.requested_by}
        </span>
        {run.duration_ms === null ? null : <span>{durationText(run.duration_ms)}</span>}
        {run.assertions_enforced_count ? (
          <span>{countText(run.assertions_enforced_count, 'check')} counted</span>
        ) : null}
        {evidenceCount > 0 ? <span>{countText(evidenceCount, 'check')} of log and database</span> : null}
      </p>
      {message === null || message === undefined ? null : <p className="verdict-message">{message}</p>}
      {run.failure_summary ? <p className="cure mono">{run.failure_summary}</p> : null}
      {failure?.cure && !run.failure_summary ? <p className="cure">{failure.cure}</p> : null}
      {notes.map((note) => (
        <p key={note} className="cure">
          {note}
        </p>
      ))}
    </section>
  );
}

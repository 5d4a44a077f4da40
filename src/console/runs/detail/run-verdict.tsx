import { Link } from 'wouter';
import type { RunDocument } from '../../../contract/api.ts';
import { formatDuration } from '../../../report/measures.ts';
import { describeQuarantine } from '../../../run/quarantine.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { failurePath, runPath, suitePath } from '../../paths.ts';
import { QuarantineMark } from '../../quarantines/quarantine-mark.tsx';
import { SourceFacts } from '../../suites/source-facts.tsx';
import { formatCount } from '../../text/format.ts';
import { getRunStatus, isDraftRun, runStatusLabels } from '../../text/run-status.ts';
import { describeVerdict } from './describe-verdict.ts';
import { ScenarioLinks, TargetFacts } from './run-facts.tsx';

/** The result of the run and its reason. */
export function RunVerdict({ run }: { run: RunDocument }) {
  const status = getRunStatus(run);
  const { failure, notes = [], evidence_assertions_count: evidenceCount = 0 } = run.report ?? {};
  const message = failure?.message ?? run.failure_message;
  const evidenceMs = run.report?.timings.evidence_ms ?? 0;
  const sentence = describeVerdict(run);
  return (
    <section className={`verdict is-${status}`} aria-label="Verdict">
      <h1>
        <StatusIcon status={status} decorative /> {run.scenario_id}{' '}
        <span className="verdict-word">{runStatusLabels[status]}</span>
      </h1>
      <p className="facts">
        <span className="mono">{run.run_id}</span> <CopyButton text={run.run_id} />
        <span>
          <RelativeTime timestamp={run.requested_at} /> by {run.requested_by}
        </span>
        {isDraftRun(run) ? (
          <span className="badge" title="This text is not in the catalogue">
            draft
          </span>
        ) : null}
        <QuarantineMark quarantine={run.quarantine} />
        {run.failure === undefined ? null : (
          <Link href={failurePath(run.instance, run.failure)}>All runs that fail like this</Link>
        )}
        {run.suite === undefined ? null : <Link href={suitePath(run.instance, run.suite)}>Suite</Link>}
        {run.retry_of === undefined ? null : <Link href={runPath(run.retry_of)}>Retry of an earlier run</Link>}
        {run.owner === undefined ? null : <span>owner {run.owner}</span>}
        {run.source === undefined ? null : <SourceFacts source={run.source} />}
        <TargetFacts run={run} />
        {run.duration_ms === null ? null : <span>{formatDuration(run.duration_ms)}</span>}
        {evidenceMs >= 1 ? <span>+ {formatDuration(evidenceMs)} for log and database</span> : null}
        {run.assertions_enforced_count ? (
          <span>{formatCount(run.assertions_enforced_count, 'check')} counted</span>
        ) : null}
        {evidenceCount > 0 ? <span>{formatCount(evidenceCount, 'check')} of log and database</span> : null}
        <ScenarioLinks links={run.links ?? []} />
      </p>
      {sentence === undefined ? null : <p className="verdict-message">{sentence}</p>}
      {run.quarantine && run.state === 'failed' ? (
        <p className="cure">This failure does not count: the scenario was {describeQuarantine(run.quarantine)}.</p>
      ) : null}
      {run.failure_summary ? <p className="mono">{run.failure_summary}</p> : null}
      {message === null || message === undefined ? null : <p className="cure">{message}</p>}
      {failure?.cure && !run.failure_summary ? <p className="cure">{failure.cure}</p> : null}
      {notes.map((note) => (
        <p key={note} className="cure">
          {note}
        </p>
      ))}
    </section>
  );
}

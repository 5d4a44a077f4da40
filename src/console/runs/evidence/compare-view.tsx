import { Link } from 'wouter';
import type { RunDocument } from '../../../contract/api.ts';
import type { Report } from '../../../report/report.ts';
import { DiffView } from '../../components/diff-view.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { runPath } from '../../paths.ts';
import { getRunStatus } from '../../text/run-status.ts';
import { useEarlierRun, useRun } from '../detail/use-run.ts';
import { diffChecks } from './check-changes.ts';
import { formatJsonLines, isJsonLike } from './json-lines.ts';

type CompareViewProps = {
  readonly run: RunDocument;
  readonly comparison: 'previous' | 'passed';
  readonly onComparisonChange: (comparison: 'previous' | 'passed') => void;
};

/** The differences from an earlier run of the same scenario. */
export function CompareView({ run, comparison, onComparisonChange }: CompareViewProps) {
  const earlier = useEarlierRun(run, comparison === 'passed' ? ['passed'] : ['passed', 'failed']);
  return (
    <>
      <p className="exchange-line">
        {(['previous', 'passed'] as const).map((name) => (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={comparison === name}
            onClick={() => onComparisonChange(name)}
          >
            {name === 'passed' ? 'last passed' : 'previous run'}
          </button>
        ))}
      </p>
      {earlier.isPending ? <Skeleton rows={4} /> : null}
      {earlier.error ? <ErrorNotice error={earlier.error} retry={earlier.refetch} /> : null}
      {earlier.data === null ? <p className="faint">There is no earlier run to compare with.</p> : null}
      {earlier.data ? <Comparison run={run} earlierId={earlier.data.run_id} /> : null}
    </>
  );
}

function Comparison({ run, earlierId }: { run: RunDocument; earlierId: string }) {
  const { data: earlier, error, refetch } = useRun(earlierId);
  if (error) return <ErrorNotice error={error} retry={refetch} />;
  if (!earlier) return <Skeleton rows={4} />;
  return (
    <>
      <p>
        Compared with <StatusIcon status={getRunStatus(earlier)} />{' '}
        <Link href={runPath(earlierId)} className="mono">
          {earlierId}
        </Link>
        , <RelativeTime timestamp={earlier.requested_at} />
        {earlier.revision === run.revision ? '' : `, revision ${earlier.revision ?? '–'} of the scenario`}
      </p>
      {run.report && earlier.report ? (
        <Differences before={earlier.report} after={run.report} />
      ) : (
        <p className="faint">One of the two runs has no report.</p>
      )}
    </>
  );
}

function Differences({ before, after }: { before: Report; after: Report }) {
  const changes = diffChecks(before, after);
  return (
    <>
      {before.observed_status === after.observed_status ? null : (
        <p>
          Status <b>{before.observed_status ?? 'none'}</b> → <b>{after.observed_status ?? 'none'}</b>
        </p>
      )}
      {changes.length === 0 ? <p className="faint">All checks have the same result.</p> : null}
      <ul className="changes">
        {changes.map(({ text, before: outcomeBefore, after: outcomeAfter, actualBefore, actualAfter }) => (
          <li key={text}>
            <code>{text}</code>
            <br />
            <span className="faint">
              {outcomeBefore ?? 'no such check'} ({actualBefore ?? '–'}) → {outcomeAfter ?? 'no such check'} (
              {actualAfter ?? '–'})
            </span>
          </li>
        ))}
      </ul>
      <h2>Response body</h2>
      <DiffView label="Differences between the bodies" before={bodyText(before)} after={bodyText(after)} />
    </>
  );
}

function bodyText({ exchange }: Report): string {
  const text = exchange.response?.body.text ?? '';
  if (!isJsonLike(text)) return text;
  return formatJsonLines(text)
    .map(({ depth, tokens }) => '  '.repeat(depth) + tokens.map((token) => token.text).join(''))
    .join('\n');
}

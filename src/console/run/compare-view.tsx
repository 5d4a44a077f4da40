import { Link } from 'wouter';
import type { RunDocument } from '../../contract/api.ts';
import type { Report } from '../../report/report.ts';
import { Ago } from '../parts/ago.tsx';
import { DiffView } from '../parts/diff-view.tsx';
import { Mark } from '../parts/mark.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { runPath } from '../shell/paths.ts';
import { lookOf } from '../words/look.ts';
import { checkChanges } from './compared.ts';
import { jsonLines, looksLikeJson } from './json-lines.ts';
import { useEarlierRun, useRun } from './use-run.ts';

type CompareViewProps = {
  readonly run: RunDocument;
  readonly with: 'previous' | 'passed';
  readonly onChange: (which: 'previous' | 'passed') => void;
};

/** What is different from an earlier run of the same scenario. */
export function CompareView({ run, with: which, onChange }: CompareViewProps) {
  const earlier = useEarlierRun(run, which === 'passed' ? ['passed'] : ['passed', 'failed']);
  return (
    <>
      <p className="exchange-line">
        {(['previous', 'passed'] as const).map((name) => (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={which === name}
            onClick={() => onChange(name)}
          >
            {name === 'passed' ? 'last passed' : 'previous run'}
          </button>
        ))}
      </p>
      {earlier.isPending ? <Skeleton rows={4} /> : null}
      {earlier.error ? <Problem error={earlier.error} retry={earlier.refetch} /> : null}
      {earlier.data === null ? <p className="faint">There is no earlier run to compare with.</p> : null}
      {earlier.data ? <Compared run={run} earlierId={earlier.data.run_id} /> : null}
    </>
  );
}

function Compared({ run, earlierId }: { run: RunDocument; earlierId: string }) {
  const { data: earlier, error, refetch } = useRun(earlierId);
  if (error) return <Problem error={error} retry={refetch} />;
  if (!earlier) return <Skeleton rows={4} />;
  return (
    <>
      <p>
        Compared with <Mark look={lookOf(earlier)} />{' '}
        <Link href={runPath(earlierId)} className="mono">
          {earlierId}
        </Link>
        , <Ago at={earlier.requested_at} />
        {earlier.revision === run.revision ? '' : `, revision ${earlier.revision ?? '–'} of the scenario`}
      </p>
      {run.report && earlier.report ? (
        <Differences before={earlier.report} after={run.report} />
      ) : (
        <p className="faint">One of the two has no report.</p>
      )}
    </>
  );
}

function Differences({ before, after }: { before: Report; after: Report }) {
  const changes = checkChanges(before, after);
  return (
    <>
      {before.observed_status === after.observed_status ? null : (
        <p>
          Status <b>{before.observed_status ?? 'none'}</b> → <b>{after.observed_status ?? 'none'}</b>
        </p>
      )}
      {changes.length === 0 ? <p className="faint">All checks came out the same.</p> : null}
      <ul className="changes">
        {changes.map(({ text, before: old, after: now, actualBefore, actualAfter }) => (
          <li key={text}>
            <code>{text}</code>
            <br />
            <span className="faint">
              {old ?? 'not there'} ({actualBefore ?? '–'}) → {now ?? 'not there'} ({actualAfter ?? '–'})
            </span>
          </li>
        ))}
      </ul>
      <h3>Response body</h3>
      <DiffView label="Difference of the bodies" before={bodyText(before)} after={bodyText(after)} />
    </>
  );
}

function bodyText({ exchange }: Report): string {
  const text = exchange.response?.body.text ?? '';
  if (!looksLikeJson(text)) return text;
  return jsonLines(text)
    .map(({ depth, pieces }) => '  '.repeat(depth) + pieces.map((piece) => piece.text).join(''))
    .join('\n');
}

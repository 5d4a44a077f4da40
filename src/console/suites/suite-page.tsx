import { Link } from 'wouter';
import type { Suite } from '../../contract/suites-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import { formatDuration } from '../../report/measures.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { StatusIcon } from '../components/status-icon.tsx';
import { QueryContent } from '../hub/query-content.tsx';
import { suitePath, suitesPath } from '../paths.ts';
import { useRememberInstance } from '../shell/current-instance.ts';
import { SourceFacts } from './source-facts.tsx';
import { SuiteActions } from './suite-actions.tsx';
import { SuiteRuns } from './suite-runs.tsx';
import { countEnded, formatSuiteCounts, formatSuiteName, formatSuiteVerdict, getSuiteIcon } from './suite-text.ts';
import { usePrefetchedSuiteRuns, useSuite } from './use-suites.ts';

type SuiteProps = { readonly instance: string; readonly suite: Suite };

/** One request for several scenarios: its verdict, how far it is, and what did not pass. */
export default function SuitePage({ instance, suiteId }: { instance: string; suiteId: string }) {
  const query = useSuite(instance, suiteId);
  usePrefetchedSuiteRuns(instance, suiteId);
  useRememberInstance(instance);
  const { data, error } = query;
  if (!data && error instanceof VpError && error.code === 'SUITE_UNKNOWN')
    return (
      <EmptyState isPage title="Suite not found">
        <title>Suite not found · vp</title>
        <p>
          There is no suite <code>{suiteId}</code> of {instance}.
        </p>
        <Link href={suitesPath(instance)}>Go to the suites of {instance}</Link>
      </EmptyState>
    );
  return (
    <div className="landing">
      <title>{`${data ? `${formatSuiteName(data)} ${formatSuiteVerdict(data)}` : 'Suite'} · ${instance} · vp`}</title>
      <p>
        <Link href={suitesPath(instance)}>‹ Suites</Link>
      </p>
      <QueryContent query={query}>
        {(suite) => (
          <>
            <SuiteHead suite={suite} />
            <SuiteActions instance={instance} suite={suite} />
            <SuiteFacts instance={instance} suite={suite} />
            <SuiteRuns instance={instance} suite={suite} />
          </>
        )}
      </QueryContent>
    </div>
  );
}

function SuiteHead({ suite }: { suite: Suite }) {
  const status = getSuiteIcon(suite);
  const ended = countEnded(suite);
  return (
    <section className={`verdict is-${status}`} aria-label="Verdict">
      <h1>
        <StatusIcon status={status} decorative /> {formatSuiteName(suite)}{' '}
        <span className="verdict-word">{formatSuiteVerdict(suite)}</span>
      </h1>
      <p>{formatSuiteCounts(suite)}</p>
      {suite.state === 'ended' ? null : (
        <p>
          <progress value={ended} max={Math.max(1, suite.expected_runs)} aria-label="Runs that have ended" />{' '}
          <span className="faint">
            {ended.toLocaleString('en')} of {suite.expected_runs.toLocaleString('en')} ended
          </span>
        </p>
      )}
      {suite.state === 'incomplete' ? (
        <p className="cure">
          There is no verdict yet: {suite.counts.not_requested.toLocaleString('en')} of its runs were not requested, for
          example by another job.
        </p>
      ) : null}
    </section>
  );
}

function SuiteFacts({ instance, suite }: SuiteProps) {
  const { requested_at: at, finished_at: finishedAt, source, target_version: version, schedule, shards } = suite;
  return (
    <dl className="failure-facts">
      <dt>Requested</dt>
      <dd>
        <RelativeTime timestamp={at} /> by {suite.requested_by}
        {schedule === null ? '' : `, schedule ${schedule}`}
      </dd>
      {finishedAt === null ? null : (
        <>
          <dt>Took</dt>
          <dd>{formatDuration(Date.parse(finishedAt) - Date.parse(at))}</dd>
        </>
      )}
      {Object.keys(source).length === 0 ? null : (
        <>
          <dt>Change</dt>
          <dd className="facts">
            <SourceFacts source={source} />
          </dd>
        </>
      )}
      {version === null ? null : (
        <>
          <dt>Version</dt>
          <dd className="mono">{version}</dd>
        </>
      )}
      {shards === undefined ? null : (
        <>
          <dt>Shards</dt>
          <dd>{shards.map((shard) => shard.length).join(' + ')} scenarios</dd>
        </>
      )}
      <Relation
        label="Runs again"
        instance={instance}
        suite={suite.rerun_of}
        text="what did not pass in an earlier suite"
      />
      <Relation label="Run again" instance={instance} suite={suite.rerun ?? null} text="in a later suite" />
    </dl>
  );
}

type RelationProps = {
  readonly label: string;
  readonly text: string;
  readonly instance: string;
  readonly suite: string | null;
};

function Relation({ label, text, instance, suite }: RelationProps) {
  if (suite === null) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <Link href={suitePath(instance, suite)}>{text}</Link>
      </dd>
    </>
  );
}

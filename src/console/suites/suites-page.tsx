import { Link, useSearchParams } from 'wouter';
import type { Suite } from '../../contract/suites-api.ts';
import { AlternativeCommand } from '../components/command-line.tsx';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { StatusIcon } from '../components/status-icon.tsx';
import { RemainingSteps } from '../overview/first-steps.tsx';
import { runsPath, suitePath } from '../paths.ts';
import { useCatalogue } from '../scenarios/use-catalogue.ts';
import { useHasRole } from '../session/use-session.ts';
import { useRememberInstance } from '../shell/current-instance.ts';
import { formatSuiteCounts, formatSuiteName, formatSuiteVerdict, getSuiteIcon } from './suite-text.ts';
import { type SuitesPageFilter, useSuites } from './use-suites.ts';

/** Requests for several scenarios, each with one verdict. The filter is part of the address. */
export default function SuitesPage({ instance }: { instance: string }) {
  const [search, setSearch] = useSearchParams();
  const branch = search.get('branch') ?? undefined;
  const commit = search.get('commit') ?? undefined;
  useRememberInstance(instance);
  return (
    <div className="landing">
      <title>{`Suites · ${instance} · vp`}</title>
      <section className="instance-head" aria-label={`Suites of ${instance}`}>
        <h1>
          Suites <span className="faint">{instance}</span>
        </h1>
      </section>
      {branch === undefined && commit === undefined ? null : (
        <p className="bar">
          <span>
            {branch === undefined ? null : (
              <>
                of branch <b>{branch}</b>{' '}
              </>
            )}
            {commit === undefined ? null : (
              <>
                of commit <b className="mono">{commit}</b>
              </>
            )}
          </span>
          <button type="button" onClick={() => setSearch({})}>
            Show all suites
          </button>
        </p>
      )}
      <SuiteList instance={instance} filter={{ branch, commit }} />
    </div>
  );
}

function SuiteList({ instance, filter }: { instance: string; filter: SuitesPageFilter }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useSuites(instance, filter);
  const suites = data?.pages.flatMap(({ items }) => items) ?? [];
  if (error && suites.length === 0) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={6} label="Loading suites" />;
  if (suites.length === 0) return <NoSuites instance={instance} />;
  return (
    <>
      {error ? <ErrorNotice error={error} retry={refetch} /> : null}
      <SuiteTable instance={instance} suites={suites} />
      {hasNextPage ? (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading…' : 'Show more'}
        </button>
      ) : null}
    </>
  );
}

function NoSuites({ instance }: { instance: string }) {
  const { data } = useCatalogue(instance, 60_000);
  const ids = (data ?? []).slice(0, 2).map(({ scenario_id: id }) => id);
  const canRun = useHasRole('member');
  return (
    <EmptyState title="No suites">
      <p>What is requested at once, such as all scenarios with a tag, has one verdict and one page.</p>
      <RemainingSteps id={instance} />
      {canRun && ids.length > 0 ? (
        <>
          <p>
            <Link href={runsPath(instance)}>Run several scenarios</Link>
          </p>
          <AlternativeCommand text={`vp run ${ids.join(' ')} --instance ${instance}`} />
        </>
      ) : null}
    </EmptyState>
  );
}

function SuiteTable({ instance, suites }: { instance: string; suites: readonly Suite[] }) {
  return (
    <DataTable className="attention" columns={['Suite', 'Verdict', 'Runs', 'Branch', 'Commit', 'Requested', 'By']}>
      {suites.map((suite) => (
        <SuiteRow key={suite.suite_id} instance={instance} suite={suite} />
      ))}
    </DataTable>
  );
}

function SuiteRow({ instance, suite }: { instance: string; suite: Suite }) {
  const { source, suite_id: id } = suite;
  return (
    <tr>
      <td className="wrap">
        <Link href={suitePath(instance, id)} className="run-name" data-row>
          {formatSuiteName(suite)}
        </Link>
      </td>
      <td data-label="Verdict">
        <StatusIcon status={getSuiteIcon(suite)} decorative /> {formatSuiteVerdict(suite)}
      </td>
      <td data-label="Runs" className="wrap">
        {formatSuiteCounts(suite)}
      </td>
      <td data-label="Branch" className="wrap">
        {source.branch === undefined ? (
          <span className="faint">not known</span>
        ) : (
          <Link href={`?${new URLSearchParams({ branch: source.branch })}`}>{source.branch}</Link>
        )}
      </td>
      <td data-label="Commit">
        {source.commit === undefined ? (
          <span className="faint">not known</span>
        ) : (
          <Link className="mono" href={`?${new URLSearchParams({ commit: source.commit })}`}>
            {source.commit.slice(0, 10)}
          </Link>
        )}
      </td>
      <td data-label="Requested">
        <RelativeTime timestamp={suite.requested_at} />
      </td>
      <td data-label="By" className="wrap">
        {suite.requested_by}
      </td>
    </tr>
  );
}

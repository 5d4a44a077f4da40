import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { FailureFilterState } from '../../contract/failures-api.ts';
import { BulkBar } from '../bulk/bulk-bar.tsx';
import { useBulkTask } from '../bulk/use-bulk-task.ts';
import { useSelection } from '../bulk/use-selection.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { StatusIcon } from '../components/status-icon.tsx';
import { EnvironmentSteps } from '../overview/first-steps.tsx';
import { comparePath, healthPath, runsPath } from '../paths.ts';
import { useScenarioResults } from '../scenarios/use-scenario-changes.ts';
import { useHasRole } from '../session/use-session.ts';
import { InstanceStatus } from '../settings/environments/instance-status.tsx';
import { useInstance, useRememberInstance } from '../shell/current-instance.ts';
import { formatCount } from '../text/format.ts';
import { FailureBulkActions } from './failure-bulk-actions.tsx';
import { FailureTable } from './failure-table.tsx';
import { useFailures } from './use-failures.ts';

const states = [
  ['failing', 'failing now'],
  ['open', 'open'],
  ['resolved', 'resolved'],
] as const;

/** The landing page of an environment: what needs a look, before any list of runs. */
export default function FailuresPage({ instance }: { instance: string }) {
  const record = useInstance(instance);
  const [search, setSearch] = useSearchParams();
  const state = states.find(([name]) => name === search.get('state'))?.[0] ?? 'failing';
  const select = (name: FailureFilterState): void => setSearch(name === 'failing' ? {} : { state: name });
  useRememberInstance(instance);
  return (
    <div className="landing">
      <title>{`What needs a look · ${instance} · vp`}</title>
      <section className="instance-head" aria-label={`Environment ${instance}`}>
        <h1>
          What needs a look <span className="faint">{instance}</span>
        </h1>
        {record ? <InstanceStatus instance={record} /> : null}
        <Link href={comparePath(instance)}>What did this change break?</Link>
        <Link href={healthPath(instance)}>Health</Link>
      </section>
      <section aria-labelledby="failures">
        <h2 id="failures">Failures</h2>
        <fieldset className="filters">
          <legend className="visually-hidden">Failures by state</legend>
          {states.map(([name, text]) => (
            <button
              key={name}
              type="button"
              className="chip"
              aria-pressed={state === name}
              onClick={() => select(name)}
            >
              {text}
            </button>
          ))}
        </fieldset>
        <FailureList key={state} instance={instance} state={state} onShowOpen={() => select('open')} />
      </section>
    </div>
  );
}

type FailureListProps = {
  readonly instance: string;
  readonly state: FailureFilterState;
  readonly onShowOpen: () => void;
};

function FailureList({ instance, state, onShowOpen }: FailureListProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useFailures(instance, state);
  const failures = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const ids = useMemo(() => failures.map(({ failure_id: id }) => id), [failures]);
  const canChange = useHasRole('member');
  const selection = useSelection(ids, canChange);
  const bulk = useBulkTask();
  if (error && failures.length === 0) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={6} label="Loading failures" />;
  return (
    <div>
      {error ? <ErrorNotice error={error} retry={refetch} /> : null}
      {failures.length > 0 ? (
        <FailureTable instance={instance} failures={failures} selection={canChange ? selection : undefined} />
      ) : state === 'failing' ? (
        <NothingFails instance={instance} onShowOpen={onShowOpen} />
      ) : (
        <EmptyState title={state === 'open' ? 'No open failures' : 'Nothing is resolved'} />
      )}
      {hasNextPage ? (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading…' : 'Show more'}
        </button>
      ) : null}
      <BulkBar noun="failure" selection={selection} bulk={bulk}>
        <FailureBulkActions
          instance={instance}
          failures={failures.filter(({ failure_id: id }) => selection.ids.has(id))}
          selection={selection}
          bulk={bulk}
        />
      </BulkBar>
    </div>
  );
}

/** Says what was run: without a result, nothing is known to be well. */
function NothingFails({ instance, onShowOpen }: { instance: string; onShowOpen: () => void }) {
  const { data } = useScenarioResults(instance);
  if (!data) return <Skeleton rows={2} />;
  const results = [...data.values()];
  const passing = results.filter(({ last_run: run }) => run?.state === 'passed').length;
  const failed = results.filter(({ last_run: run }) => run?.state === 'failed').length;
  if (passing + failed === 0)
    return (
      <EmptyState title="No results yet">
        <EnvironmentSteps id={instance} />
      </EmptyState>
    );
  return (
    <>
      {failed > 0 ? (
        <p>
          No open failure. <Link href={`${runsPath(instance)}?result=failed`}>{formatCount(failed, 'scenario')}</Link>{' '}
          failed last: what fails there is resolved, or was not grouped yet.
        </p>
      ) : (
        <p className="all-clear">
          <StatusIcon status="passed" decorative /> <strong>Nothing fails.</strong>{' '}
          <span className="faint">
            {passing} of {formatCount(results.length, 'scenario')} passed last.
          </span>
        </p>
      )}
      <p>
        <button type="button" onClick={onShowOpen}>
          Show open failures that were not seen since
        </button>
      </p>
    </>
  );
}

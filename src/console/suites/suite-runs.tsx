import { useMemo } from 'react';
import type { Run } from '../../contract/api.ts';
import type { Suite } from '../../contract/suites-api.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useLongList } from '../components/use-long-list.ts';
import { RunTable } from '../runs/list/run-table.tsx';
import { formatCount } from '../text/format.ts';
import { useSuiteRuns } from './use-suites.ts';

type SuiteRunsProps = { readonly instance: string; readonly suite: Suite };

/** What did not pass first, then what has not ended, then what passed. */
export function SuiteRuns({ instance, suite }: SuiteRunsProps) {
  const { counts } = suite;
  const notPassed = counts.failed + counts.broken + counts.cancelled + (counts.quarantined ?? 0) + suite.flaky;
  return (
    <>
      {notPassed > 0 ? <SuiteRunList instance={instance} suite={suite} part="failed" title="Did not pass" /> : null}
      {counts.running + counts.queued > 0 ? (
        <SuiteRunList instance={instance} suite={suite} part="open" title="Not ended" />
      ) : null}
      {counts.passed > 0 ? <SuiteRunList instance={instance} suite={suite} part="ended" title="Passed" /> : null}
    </>
  );
}

type SuiteRunListProps = SuiteRunsProps & { readonly part: 'failed' | 'open' | 'ended'; readonly title: string };

function SuiteRunList({ instance, suite, part, title }: SuiteRunListProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useSuiteRuns(
    instance,
    suite.suite_id,
    part,
  );
  const runs: readonly Run[] = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const listed = useLongList(runs);
  const hasRetried = part === 'failed' && suite.flaky > 0;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {part === 'failed' && suite.counts.quarantined ? (
        <p className="faint">
          {formatCount(suite.counts.quarantined, 'run')} failed in quarantine. Such failures do not count.
        </p>
      ) : null}
      {hasRetried ? <p className="faint">With runs that were retried, and passed then.</p> : null}
      {error ? <ErrorNotice error={error} retry={refetch} /> : null}
      {data ? <RunTable runs={listed} label={title} /> : error ? null : <Skeleton rows={3} />}
      {hasNextPage ? (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading…' : 'Show more'}
        </button>
      ) : null}
    </section>
  );
}

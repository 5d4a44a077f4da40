import { useEffect, useRef } from 'react';
import type { Run } from '../../../contract/api.ts';
import type { RowSelection } from '../../bulk/use-selection.ts';
import { formatCount, formatExactTime } from '../../text/format.ts';
import { RunTable } from './run-table.tsx';
import type { useVisibleRuns } from './use-visible-runs.ts';

type RunListProps = Pick<ReturnType<typeof useVisibleRuns>, 'waitingCount' | 'resume' | 'listProps'> & {
  /** Those that are displayed. */
  readonly runs: readonly Run[];
  readonly selection: RowSelection;
  readonly loadMore: (() => void) | undefined;
  readonly isLoadingMore: boolean;
  /** Up to where a search went. */
  readonly lookedUntil: string | undefined;
};

/** Rows, newest first. New runs wait behind a button while the list is paused. */
export function RunList(props: RunListProps) {
  const { runs, selection, waitingCount, resume, listProps, loadMore, isLoadingMore, lookedUntil } = props;
  return (
    <div {...listProps} className="run-list">
      <div className="arrivals" aria-live="polite">
        {waitingCount > 0 ? (
          <button type="button" onClick={resume}>
            ↑ Show {formatCount(waitingCount, 'new run')}
          </button>
        ) : null}
      </div>
      <RunTable runs={runs} label="Runs" selection={selection} />
      {loadMore && lookedUntil !== undefined ? (
        <SearchOlder
          count={waitingCount + runs.length}
          lookedUntil={lookedUntil}
          search={loadMore}
          isSearching={isLoadingMore}
        />
      ) : (
        <LoadMore loadMore={loadMore} isLoading={isLoadingMore} />
      )}
    </div>
  );
}

type SearchOlderProps = {
  readonly count: number;
  readonly lookedUntil: string;
  readonly search: () => void;
  readonly isSearching: boolean;
};

/** A page of a search ends after a number of examined runs, even if few of them match. */
export function SearchOlder({ count, lookedUntil, search, isSearching }: SearchOlderProps) {
  return (
    <div className="list-end">
      <button type="button" className="quiet" onClick={search} disabled={isSearching}>
        {isSearching ? 'Searching…' : 'Search older runs'}
      </button>{' '}
      <span className="faint" role="status">
        {count === 0 ? 'No matching runs' : 'These are all matching runs'} since {formatExactTime(lookedUntil)}. Older
        runs have not been searched yet.
      </span>
    </div>
  );
}

/** Loads the next page when the end of the list comes near the viewport. */
function LoadMore({ loadMore, isLoading }: { loadMore: (() => void) | undefined; isLoading: boolean }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!loadMore || !ref.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && loadMore(), {
      rootMargin: '600px',
    });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [loadMore]);
  return (
    <div ref={ref} className="list-end">
      {loadMore ? (
        <button type="button" className="quiet" onClick={loadMore} disabled={isLoading}>
          {isLoading ? 'Loading…' : 'Load older runs'}
        </button>
      ) : (
        <span className="faint">No older runs</span>
      )}
    </div>
  );
}

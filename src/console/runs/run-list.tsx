import { useEffect, useRef } from 'react';
import type { Run } from '../../contract/api.ts';
import { countText } from '../words/moments.ts';
import { RunRow } from './run-row.tsx';
import { useHold } from './use-hold.ts';

type RunListProps = {
  readonly runs: readonly Run[];
  readonly more: (() => void) | undefined;
  readonly loadingMore: boolean;
  /** Given where so many have arrived that the list is better loaded anew. */
  readonly renew: (() => void) | undefined;
};

/** Rows, newest first. What arrives while somebody reads waits behind a button that moves nothing. */
export function RunList({ runs, more, loadingMore, renew }: RunListProps) {
  const { held, release, listProps } = useHold();
  useEffect(() => {
    if (!held) renew?.();
  }, [held, renew]);
  const top = useRef(runs[0]?.run_id);
  if (!held) top.current = runs[0]?.run_id;
  const newest = top.current ?? '';
  const waiting = runs.findIndex(({ run_id }) => run_id <= newest);
  const shown = waiting > 0 ? runs.slice(waiting) : runs;
  return (
    <div {...listProps} className="run-list">
      <div className="arrivals" aria-live="polite">
        {waiting > 0 ? (
          <button type="button" onClick={release}>
            ↑ {countText(waiting, 'new run')}
          </button>
        ) : null}
      </div>
      <ul>
        {shown.map((run) => (
          <RunRow key={run.run_id} run={run} />
        ))}
      </ul>
      <More more={more} loading={loadingMore} />
    </div>
  );
}

/** Asks for the next page when its place comes near. */
function More({ more, loading }: { more: (() => void) | undefined; loading: boolean }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!more || !ref.current) return;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && more(), { rootMargin: '600px' });
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, [more]);
  return (
    <div ref={ref} className="list-end">
      {more ? (
        <button type="button" className="quiet" onClick={more} disabled={loading}>
          {loading ? 'Loading…' : 'Older runs'}
        </button>
      ) : (
        <span className="faint">That is all.</span>
      )}
    </div>
  );
}

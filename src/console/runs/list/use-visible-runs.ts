import { useEffect, useMemo, useRef } from 'react';
import type { Run } from '../../../contract/api.ts';
import { useReadingPause } from './use-reading-pause.ts';

/**
 * The runs to display: while the list is paused, new ones wait, so that nothing moves. `reloadList` is set if so many arrived
 * that the list should be reloaded.
 */
export function useVisibleRuns(runs: readonly Run[], reloadList: (() => void) | undefined) {
  const { isPaused, resume, listProps } = useReadingPause();
  useEffect(() => {
    if (!isPaused) reloadList?.();
  }, [isPaused, reloadList]);
  const topRunId = useRef(runs[0]?.run_id);
  if (!isPaused) topRunId.current = runs[0]?.run_id;
  const newestVisibleId = topRunId.current ?? '';
  const waitingCount = Math.max(
    0,
    runs.findIndex(({ run_id }) => run_id <= newestVisibleId),
  );
  const visibleRuns = waitingCount > 0 ? runs.slice(waitingCount) : runs;
  // The same array while the ids are the same: each change of a run makes a new list of runs.
  const text = visibleRuns.map(({ run_id: id }) => id).join(' ');
  const visibleIds = useMemo(() => (text === '' ? [] : text.split(' ')), [text]);
  return { visibleRuns, visibleIds, waitingCount, resume, listProps };
}

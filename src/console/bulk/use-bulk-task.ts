import { useCallback, useRef, useState } from 'react';
import type { BulkItem, BulkLink, BulkResult, BulkTask } from './bulk-task.ts';

export type BulkState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly task: BulkTask; readonly count: number }
  | {
      readonly kind: 'ended';
      readonly task: BulkTask;
      readonly results: readonly BulkResult[];
      readonly link: BulkLink | undefined;
    };

export type BulkControl = {
  readonly state: BulkState;
  /** Nothing is started while a task runs. `onEnd` gets what succeeded. */
  start(task: BulkTask, onEnd?: (succeeded: readonly BulkItem[]) => void): void;
  /** Lets the present request end, and sends no further one. */
  stop(): void;
  dismiss(): void;
};

export function listSucceeded(results: readonly BulkResult[]): readonly BulkResult[] {
  return results.filter(({ problem }) => problem === undefined);
}

/** Its state must live where the list may become empty. */
export function useBulkTask(): BulkControl {
  const [state, setState] = useState<BulkState>({ kind: 'idle' });
  const current = useRef<{ isStopped: boolean } | undefined>(undefined);
  const start = useCallback<BulkControl['start']>((task, onEnd) => {
    if (current.current) return;
    const run = { isStopped: false };
    current.current = run;
    setState({ kind: 'running', task, count: 0 });
    const results: BulkResult[] = [];
    const report = (result: BulkResult): void => {
      results.push(result);
      setState({ kind: 'running', task, count: results.length });
    };
    const end = (link: BulkLink | undefined): void => {
      current.current = undefined;
      setState({ kind: 'ended', task, results, link });
      onEnd?.(listSucceeded(results));
    };
    void task.perform(report, () => run.isStopped).then((link) => end(link ?? undefined));
  }, []);
  const stop = useCallback(() => {
    if (current.current) current.current.isStopped = true;
  }, []);
  const dismiss = useCallback(() => setState({ kind: 'idle' }), []);
  return { state, start, stop, dismiss };
}

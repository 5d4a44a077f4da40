import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { formatCount } from '../text/format.ts';
import type { BulkResult } from './bulk-task.ts';
import { type BulkControl, type BulkState, listSucceeded } from './use-bulk-task.ts';
import type { RowSelection } from './use-selection.ts';

type BulkBarProps = {
  /** `run`, for counts. */
  readonly noun: string;
  readonly selection: RowSelection;
  readonly bulk: BulkControl;
  /** The actions. */
  readonly children: ReactNode;
};

/** Below the list and at the foot of the window: how many are selected and what can be done, or what became of it. */
export function BulkBar({ noun, selection, bulk, children }: BulkBarProps) {
  const count = selection.ids.size;
  const { state } = bulk;
  return (
    <div className="bulk">
      <p className="visually-hidden" role="status">
        {state.kind === 'ended' ? `${describeEnd(state)} ` : ''}
        {count === 0 ? '' : `${formatCount(count, noun)} selected. Press a for the actions, Escape to clear.`}
      </p>
      {state.kind === 'running' ? <BulkProgress state={state} onStop={bulk.stop} /> : null}
      {state.kind === 'ended' ? <BulkOutcome state={state} bulk={bulk} /> : null}
      {count > 0 && state.kind !== 'running' ? (
        <section className="bulk-bar" aria-label="Selected">
          <b>{count} selected</b>
          {count < selection.displayedIds.length ? (
            <button type="button" className="quiet" onClick={selection.toggleAll}>
              Select all {selection.displayedIds.length}
            </button>
          ) : null}
          <span className="bulk-actions">{children}</span>
          <button type="button" className="quiet" onClick={selection.clear}>
            Clear <span className="key-hint">esc</span>
          </button>
        </section>
      ) : null}
    </div>
  );
}

type RunningProps = { readonly state: Extract<BulkState, { kind: 'running' }>; readonly onStop: () => void };

function BulkProgress({ state: { task, count }, onStop }: RunningProps) {
  const total = task.items.length;
  return (
    <section className="bulk-bar" aria-label="Progress">
      <span>
        {task.doing} {formatCount(total, task.noun)}…
      </span>
      <progress aria-label={task.doing} max={total} value={count} />
      <span className="faint">
        {count} of {total}
      </span>
      <button type="button" onClick={onStop}>
        Stop
      </button>
    </section>
  );
}

const maxListed = 8;

type EndedProps = { readonly state: Extract<BulkState, { kind: 'ended' }>; readonly bulk: BulkControl };

/** Says of each item that did not succeed why. It gets the focus: the button that began it is gone. */
function BulkOutcome({ state, bulk }: EndedProps) {
  const { task, results, link } = state;
  const ref = useRef<HTMLElement>(null);
  useEffect(() => ref.current?.focus({ preventScroll: true }), []);
  const succeeded = listSucceeded(results);
  const remarks = results.filter(({ problem, note }) => problem !== undefined || note !== undefined);
  const undo = task.undo;
  return (
    <section className="bulk-bar bulk-outcome" aria-label="Result" ref={ref} tabIndex={-1}>
      <div>
        <p>
          <b>{describeEnd(state)}</b>
        </p>
        {remarks.length > 0 ? <Remarks remarks={remarks} /> : null}
      </div>
      <span className="bulk-actions">
        {link ? <Link href={link.href}>{link.text}</Link> : null}
        {undo && succeeded.length > 0 ? (
          <button type="button" onClick={() => bulk.start(undo(succeeded))}>
            Undo
          </button>
        ) : null}
        <button type="button" className="quiet" onClick={bulk.dismiss}>
          Dismiss
        </button>
      </span>
    </section>
  );
}

/** Also says how many were not tried, after a stop or an error that concerns all. */
function describeEnd({ task, results }: EndedProps['state']): string {
  const total = task.items.length;
  const untried = total - results.length;
  const outcome = describeBulkOutcome(listSucceeded(results).length, total, task);
  return untried === 0 ? outcome : `${outcome} ${untried} ${untried === 1 ? 'was' : 'were'} not tried.`;
}

/** `3 runs cancelled.`, `2 of 3 runs cancelled.`, `None of 3 runs cancelled.` */
export function describeBulkOutcome(
  succeeded: number,
  total: number,
  { noun, done }: { readonly noun: string; readonly done: string },
): string {
  if (succeeded === total) return `${formatCount(total, noun)} ${done}.`;
  return `${succeeded === 0 ? 'None' : succeeded} of ${formatCount(total, noun)} ${done}.`;
}

function Remarks({ remarks }: { remarks: readonly BulkResult[] }) {
  return (
    <ul>
      {remarks.slice(0, maxListed).map(({ id, label, problem, note }) => (
        <li key={id}>
          <span className="run-name">{label}</span> {problem ?? note}
        </li>
      ))}
      {remarks.length > maxListed ? <li className="faint">and {remarks.length - maxListed} more</li> : null}
    </ul>
  );
}

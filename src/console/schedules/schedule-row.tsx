import { useState } from 'react';
import { Link } from 'wouter';
import { formatSelection, formatTickOutcome, formatTickTime, formatWhen } from '../../contract/schedule-text.ts';
import type { Schedule, ScheduleDocument } from '../../contract/schedules-api.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { QueryContent } from '../hub/query-content.tsx';
import { runPath } from '../paths.ts';
import { useHasRole } from '../session/use-session.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { useChangeSchedules, useSchedule } from './use-schedules.ts';

type ScheduleProps = { readonly instance: string; readonly schedule: Schedule };

const columnCount = 6;

export function ScheduleRow({ instance, schedule }: ScheduleProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { schedule_id: id, definition, next, last_tick: last } = schedule;
  return (
    <>
      <tr>
        <td className="wrap">
          <button
            type="button"
            className="quiet"
            aria-expanded={isOpen}
            aria-label={`Times of ${id}`}
            data-row
            onClick={() => setIsOpen(!isOpen)}
          >
            {id} {isOpen ? '▴' : '▾'}
          </button>
          <span className="failure-check">{definition.description ?? formatSelection(definition)}</span>
        </td>
        <td data-label="When" className="wrap">
          {formatWhen(definition)}
        </td>
        <td data-label="Next" className="wrap">
          {schedule.paused ? `paused by ${schedule.paused_by ?? 'someone'}` : null}
          {next[0] === undefined ? null : formatTickTime(next[0], definition)}
        </td>
        <td data-label="Scenarios" className="number">
          {schedule.matching_scenarios.toLocaleString('en')}
          {schedule.unmatched.length === 0 ? null : (
            <span className="failure-check">none for {schedule.unmatched.join(', ')}</span>
          )}
        </td>
        <td data-label="Last" className="wrap">
          {last ? (
            <>
              {formatTickOutcome(last)} <RelativeTime timestamp={last.handled_at} />
            </>
          ) : (
            <span className="faint">never</span>
          )}
        </td>
        <td>
          <ScheduleActions instance={instance} schedule={schedule} />
        </td>
      </tr>
      {isOpen ? (
        <tr>
          <td colSpan={columnCount} className="wrap">
            <ScheduleTimes instance={instance} id={id} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

function ScheduleActions({ instance, schedule }: ScheduleProps) {
  const change = useChangeSchedules(instance);
  const [dialog, setDialog] = useState<'edit' | 'remove'>();
  const canChange = useHasRole('member');
  const { schedule_id: id, paused } = schedule;
  const close = (): void => setDialog(undefined);
  if (!canChange) return null;
  return (
    <>
      <span className="bar">
        <button
          type="button"
          disabled={change.isPending}
          aria-label={`${paused ? 'Resume' : 'Pause'} ${id}`}
          onClick={() => change.mutate({ kind: paused ? 'resume' : 'pause', id })}
        >
          {paused ? 'Resume' : 'Pause'}
        </button>
        {schedule.source === 'file' ? (
          <span className="faint">in schedules.yaml</span>
        ) : (
          <>
            <button type="button" aria-label={`Edit ${id}`} onClick={() => setDialog('edit')}>
              Edit…
            </button>
            <button type="button" aria-label={`Remove ${id}`} onClick={() => setDialog('remove')}>
              Remove…
            </button>
          </>
        )}
      </span>
      {change.error ? <ErrorNotice error={change.error} /> : null}
      {dialog === 'edit' ? <ScheduleDialog instance={instance} schedule={schedule} onClose={close} /> : null}
      {dialog === 'remove' ? (
        <ConfirmDialog
          title={`Remove ${id}`}
          consequence="Nothing is requested by it any more, and what became of its ticks is deleted. Its runs stay."
          confirmationText={id}
          confirmLabel="Remove schedule"
          isPending={change.isPending}
          onConfirm={() => change.mutate({ kind: 'remove', id }, { onSuccess: close })}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function ScheduleTimes({ instance, id }: { instance: string; id: string }) {
  const query = useSchedule(instance, id);
  return <QueryContent query={query}>{(schedule) => <ScheduleFacts schedule={schedule} />}</QueryContent>;
}

function ScheduleFacts({ schedule: { definition, next, ticks } }: { schedule: ScheduleDocument }) {
  return (
    <dl className="failure-facts">
      <dt>Runs</dt>
      <dd>{formatSelection(definition)}</dd>
      <dt>Next</dt>
      <dd>
        {next.length === 0 ? <span className="faint">no time</span> : null}
        {next.map((time) => (
          <span key={time} className="failure-check">
            {formatTickTime(time, definition)}
          </span>
        ))}
      </dd>
      <dt>Last</dt>
      <dd>
        {ticks.length === 0 ? <span className="faint">never</span> : null}
        {ticks.slice(0, 10).map((tick) => (
          <span key={`${tick.due_at} ${tick.handled_at} ${tick.outcome}`} className="failure-check">
            {formatTickTime(tick.due_at, definition)}: {formatTickOutcome(tick)}
            {tick.note === null ? '' : ` (${tick.note})`}{' '}
            {tick.run_ids[0] === undefined ? null : (
              <Link href={runPath(tick.run_ids[0])}>
                {tick.run_ids.length === 1 ? 'its run' : `the first of ${tick.run_ids.length} runs`}
              </Link>
            )}
          </span>
        ))}
      </dd>
    </dl>
  );
}

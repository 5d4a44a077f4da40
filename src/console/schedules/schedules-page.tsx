import { useState } from 'react';
import type { Schedule } from '../../contract/schedules-api.ts';
import { AlternativeCommand } from '../components/command-line.tsx';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { QueryContent } from '../hub/query-content.tsx';
import { RemainingSteps } from '../overview/first-steps.tsx';
import { useHasRole } from '../session/use-session.ts';
import { useRememberInstance } from '../shell/current-instance.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { ScheduleRow } from './schedule-row.tsx';
import { useSchedules } from './use-schedules.ts';

/** What runs by itself in an environment. */
export default function SchedulesPage({ instance }: { instance: string }) {
  const query = useSchedules(instance);
  const [isAdding, setIsAdding] = useState(false);
  useRememberInstance(instance);
  const add = useHasRole('member') ? (
    <button type="button" className="strong" onClick={() => setIsAdding(true)}>
      Add schedule…
    </button>
  ) : null;
  return (
    <div className="landing">
      <title>{`Schedules · ${instance} · vp`}</title>
      <section className="instance-head" aria-label={`Schedules of ${instance}`}>
        <h1>
          Schedules <span className="faint">{instance}</span>
        </h1>
        <span className="grow" />
        {query.data && query.data.length > 0 ? add : null}
      </section>
      <QueryContent query={query}>
        {(schedules) =>
          schedules.length === 0 ? (
            <EmptyState title="Nothing runs by itself">
              <p>Let scenarios run at set times, after a deployment, or when the target has a new version.</p>
              <RemainingSteps id={instance} />
              {add ? <p>{add}</p> : null}
              {add ? (
                <AlternativeCommand text={`vp schedules add nightly --cron "0 2 * * *" --instance ${instance}`} />
              ) : null}
            </EmptyState>
          ) : (
            <ScheduleTable instance={instance} schedules={schedules} />
          )
        }
      </QueryContent>
      {isAdding ? <ScheduleDialog instance={instance} onClose={() => setIsAdding(false)} /> : null}
    </div>
  );
}

function ScheduleTable({ instance, schedules }: { instance: string; schedules: readonly Schedule[] }) {
  return (
    <DataTable
      className="attention"
      columns={[
        'Schedule',
        'When',
        'Next',
        { label: 'Scenarios', isNumber: true },
        'Last',
        { label: 'Actions', isHidden: true },
      ]}
    >
      {schedules.map((schedule) => (
        <ScheduleRow key={schedule.schedule_id} instance={instance} schedule={schedule} />
      ))}
    </DataTable>
  );
}

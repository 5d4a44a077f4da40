import t from 'tap';
import { buildScheduleColumns, formatDefinition } from '../../../src/commands/schedules/format-schedule.ts';
import type { Schedule } from '../../../src/contract/schedules-api.ts';

const schedule: Schedule = {
  ...{ schedule_id: 'nightly', instance: 'app', definition: { every: '6h', scenarios: ['RT-A', 'RT-old'] } },
  ...{ source: 'person', paused: false, paused_by: null, paused_at: null, next: [], last_tick: null },
  ...{
    matching_scenarios: 1,
    unmatched: ['RT-old'],
    created_at: '',
    created_by: 'ana',
    updated_at: '',
    updated_by: 'ana',
  },
};

function formatScenarios(each: Schedule): string | undefined {
  return buildScheduleColumns(0)
    .find(({ title }) => title === 'SCENARIOS')
    ?.text(each);
}

t.test('what a schedule names and the catalogue does not have is told', async (t) => {
  t.equal(
    formatDefinition(schedule, 'app'),
    'schedule nightly of app: RT-A, RT-old (1), every 6h\nno scenario of the catalogue matches RT-old\n',
  );
  t.equal(formatScenarios(schedule), '1, none for 1');
  t.equal(formatScenarios({ ...schedule, unmatched: [] }), '1');
  const empty = { ...schedule, matching_scenarios: 0, unmatched: ['RT-A', 'RT-old'] };
  t.match(formatDefinition(empty, 'app'), /\(0\), every 6h\nno scenario of the catalogue matches yet\n$/);
});

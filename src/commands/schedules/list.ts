import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable } from '../../terminal/table.ts';
import { buildScheduleColumns } from './format-schedule.ts';
import { openInstance, scheduleFlags } from './schedule-flags.ts';

/** `vp schedules list`. */
export const schedulesListCommand = command({
  name: 'schedules list',
  summary: 'list what runs by itself, and when next',
  positionals: [],
  flags: scheduleFlags,
  examples: [['vp schedules list', 'with what became of the last time']],
  notes:
    'Create one with `vp schedules add`; `vp schedules next <schedule>` shows the next five times and the last ticks. ' +
    'With --json: {"schedules": […]}.',
  async run({ flags, json, environment }) {
    const { streams, variables, clock } = environment;
    const { schedules: client, instance } = await openInstance(flags, environment);
    const schedules = await client.list(instance);
    const table = formatTable(
      schedules,
      buildScheduleColumns(clock.nowMs()),
      streams.stdout,
      paintFor(streams.stdout, variables),
    );
    const none = `${instance} has no schedules; \`vp schedules add nightly --cron "0 2 * * *"\` adds a schedule\n`;
    streams.stdout.write(json ? `${JSON.stringify({ schedules }, null, 2)}\n` : table || none);
    return exitCode.done;
  },
});

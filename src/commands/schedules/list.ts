import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable } from '../../terminal/table.ts';
import { buildScheduleColumns } from './format-schedule.ts';
import { openInstance, scheduleFlags } from './schedule-flags.ts';

/** `vp schedules list`. */
export const schedulesListCommand = command({
  name: 'schedules list',
  summary: 'list the schedules of an instance',
  positionals: [],
  flags: scheduleFlags,
  examples: [['vp schedules list', 'with the next time and the last result of each']],
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
    const none = `${instance} has no schedules; create one with \`vp schedules add nightly --cron "0 2 * * *"\`\n`;
    streams.stdout.write(json ? `${JSON.stringify({ schedules }, null, 2)}\n` : table || none);
    return exitCode.done;
  },
});

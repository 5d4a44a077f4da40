import { command } from '../../command-line/command.ts';
import { formatSelection, formatTickTime, formatWhen } from '../../contract/schedule-text.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatNextTimes, formatNoMatch, formatScheduleTick } from './format-schedule.ts';
import {
  applyDefinitionFlags,
  definitionFlags,
  listDefinitionFlags,
  openInstance,
  scheduleFlags,
} from './schedule-flags.ts';

const maxTicks = 10;

/** `vp schedules next`. */
export const schedulesNextCommand = command({
  name: 'schedules next',
  summary: 'show the next five times of a schedule, or try flags before you create one',
  positionals: [
    { name: 'schedule', describe: 'id of the schedule; omit it to try flags', required: false, kind: 'schedule' },
  ],
  flags: { ...definitionFlags, ...scheduleFlags },
  examples: [
    ['vp schedules next nightly', 'and the results of its last ticks'],
    ['vp schedules next --cron "30 2 * * *" --time-zone Europe/Berlin', 'nothing is created'],
  ],
  notes: 'With --json: {"schedule": {…}}, or without an id {"next", "matching_scenarios"}.',
  async run({ flags, args: [id], json, environment }) {
    const { stdout } = environment.streams;
    const [flag] = listDefinitionFlags(flags);
    if (id !== undefined && flag !== undefined) throw vpError('FLAG_CONTRADICTED', { flag, other: '<schedule>' });
    const { schedules, instance } = await openInstance(flags, environment);
    if (id === undefined) {
      const definition = applyDefinitionFlags(flags);
      const preview = await schedules.preview(instance, definition);
      const { matching_scenarios: count } = preview;
      const head = `${formatWhen(definition)}, ${count} ${count === 1 ? 'scenario' : 'scenarios'}\n`;
      const text = `${head}${formatNoMatch(count)}${formatNextTimes(preview.next, definition)}`;
      stdout.write(json ? `${JSON.stringify(preview, null, 2)}\n` : text);
      return exitCode.done;
    }
    const schedule = await schedules.get(instance, id);
    const { definition, next, paused, ticks } = schedule;
    const state = paused ? `, paused by ${schedule.paused_by ?? 'someone'}` : '';
    const history = ticks
      .slice(0, maxTicks)
      .map((tick) => `  ${formatTickTime(tick.due_at, definition)}   ${formatScheduleTick(tick)}\n`);
    const text = [
      `${id}: ${formatSelection(definition)}, ${formatWhen(definition)}${state}\n`,
      formatNextTimes(next, definition),
      ...(history.length === 0 ? [] : ['\nlast ticks\n', ...history]),
    ].join('');
    stdout.write(json ? `${JSON.stringify({ schedule }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

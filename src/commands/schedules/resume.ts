import { type Command, command } from '../../command-line/command.ts';
import { formatTickTime } from '../../contract/schedule-text.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openInstance, scheduleArgument, scheduleFlags } from './schedule-flags.ts';

/** `vp schedules resume`. */
export const schedulesResumeCommand: Command<typeof scheduleFlags> = command({
  name: 'schedules resume',
  summary: 'resume a paused schedule',
  positionals: [scheduleArgument],
  flags: scheduleFlags,
  examples: [['vp schedules resume nightly', 'prints when it is next due']],
  notes: 'With --json: {"schedule": {…}}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { schedules, instance } = await openInstance(flags, environment);
    const { paused: wasPaused } = await schedules.get(instance, id);
    const schedule = await schedules.resume(instance, id);
    const [next] = schedule.next;
    const time = next === undefined ? '' : `; next: ${formatTickTime(next, schedule.definition)}`;
    const text = `schedule ${id} ${wasPaused ? 'is resumed' : 'was not paused'}${time}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ schedule }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

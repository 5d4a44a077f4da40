import { type Command, command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openInstance, scheduleArgument, scheduleFlags } from './schedule-flags.ts';

/** `vp schedules pause`. */
export const schedulesPauseCommand: Command<typeof scheduleFlags> = command({
  name: 'schedules pause',
  summary: 'pause a schedule',
  positionals: [scheduleArgument],
  flags: scheduleFlags,
  examples: [['vp schedules pause nightly', 'nothing is requested until `vp schedules resume nightly`']],
  notes: 'Ticks that are due while it is paused are skipped. With --json: {"schedule": {…}}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { schedules, instance } = await openInstance(flags, environment);
    const before = await schedules.get(instance, id);
    const schedule = await schedules.pause(instance, id);
    const state = before.paused ? `was already paused, by ${before.paused_by ?? 'someone'}` : 'is paused';
    const text = `schedule ${id} ${state}; resume it with \`vp schedules resume ${id}\`\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ schedule }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

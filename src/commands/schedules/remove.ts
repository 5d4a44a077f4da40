import { type Command, command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openInstance, scheduleArgument, scheduleFlags } from './schedule-flags.ts';

/** `vp schedules remove`. */
export const schedulesRemoveCommand: Command<typeof scheduleFlags> = command({
  name: 'schedules remove',
  summary: 'remove a schedule; its runs stay',
  positionals: [scheduleArgument],
  flags: scheduleFlags,
  examples: [['vp schedules remove nightly', 'for good; `vp schedules pause` stops it for a while']],
  notes: 'A schedule that comes from a schedules.yaml is removed in that file. With --json: {"removed"}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { schedules, instance } = await openInstance(flags, environment);
    await schedules.remove(instance, id);
    environment.streams.stdout.write(
      json ? `${JSON.stringify({ removed: id })}\n` : `schedule ${id} of ${instance} is removed\n`,
    );
    return exitCode.done;
  },
});

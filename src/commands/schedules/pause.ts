import { type Command, command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { formatInZone } from './format-schedule.ts';
import { openInstance, scheduleArgument, scheduleFlags } from './schedule-flags.ts';

/** `vp schedules pause`. */
export const schedulesPauseCommand: Command<typeof scheduleFlags> = command({
  name: 'schedules pause',
  summary: 'request nothing until the schedule is resumed',
  positionals: [scheduleArgument],
  flags: scheduleFlags,
  examples: [['vp schedules pause nightly', 'until `vp schedules resume nightly`']],
  notes: 'Ticks in between are not made up for. With --json: {"schedule": {…}}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { schedules, instance } = await openInstance(flags, environment);
    const before = await schedules.get(instance, id);
    const schedule = await schedules.pause(instance, id);
    const state = before.paused ? `was paused already, by ${before.paused_by ?? 'someone'}` : 'is paused';
    const text = `schedule ${id} ${state}; \`vp schedules resume ${id}\` goes on\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ schedule }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

/** `vp schedules resume`. */
export const schedulesResumeCommand: Command<typeof scheduleFlags> = command({
  name: 'schedules resume',
  summary: 'go on with the next tick of a paused schedule',
  positionals: [scheduleArgument],
  flags: scheduleFlags,
  examples: [['vp schedules resume nightly', 'prints when it is due next']],
  notes: 'With --json: {"schedule": {…}}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { schedules, instance } = await openInstance(flags, environment);
    const { paused: wasPaused } = await schedules.get(instance, id);
    const schedule = await schedules.resume(instance, id);
    const [next] = schedule.next;
    const time = next === undefined ? '' : `, next ${formatInZone(next, schedule.definition.time_zone)}`;
    const text = `schedule ${id} ${wasPaused ? 'goes on' : 'was not paused'}${time}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ schedule }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

/** `vp schedules remove`. */
export const schedulesRemoveCommand: Command<typeof scheduleFlags> = command({
  name: 'schedules remove',
  summary: 'remove a schedule; its runs stay',
  positionals: [scheduleArgument],
  flags: scheduleFlags,
  examples: [['vp schedules remove nightly', '`vp schedules pause` can be undone']],
  notes: 'Schedules of a schedules.yaml are removed there. With --json: {"removed"}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { schedules, instance } = await openInstance(flags, environment);
    await schedules.remove(instance, id);
    environment.streams.stdout.write(
      json ? `${JSON.stringify({ removed: id })}\n` : `schedule ${id} of ${instance} is removed\n`,
    );
    return exitCode.done;
  },
});

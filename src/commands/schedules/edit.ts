import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatDefinition } from './format-schedule.ts';
import {
  applyDefinitionFlags,
  definitionFlags,
  listDefinitionFlags,
  openInstance,
  scheduleArgument,
  scheduleFlags,
} from './schedule-flags.ts';

const flags = {
  ...definitionFlags,
  'every-scenario': { type: 'boolean', default: false, describe: 'run every scenario of the catalogue' },
  ...scheduleFlags,
} as const;

/** `vp schedules edit`. */
export const schedulesEditCommand = command({
  name: 'schedules edit',
  summary: 'change when a schedule runs, or what it runs',
  positionals: [scheduleArgument],
  flags,
  examples: [
    ['vp schedules edit nightly --cron "30 3 * * *"', 'at another time; the time zone stays the same'],
    ['vp schedules edit nightly --tag smoke --tag login', 'run other scenarios'],
  ],
  notes:
    'Only what the flags name changes. A schedule that comes from a schedules.yaml is changed in that file. With --json: {"schedule": {…}}.',
  async run({ flags, args: [id = ''], json, environment }) {
    if (listDefinitionFlags(flags).length === 0 && !flags['every-scenario'])
      throw vpError('FLAG_INVALID', {
        ...{ command: 'vp schedules edit', flag: '--cron', problem: 'or another flag must be given' },
      });
    const { schedules, instance } = await openInstance(flags, environment);
    const { definition: before } = await schedules.get(instance, id);
    const changed = applyDefinitionFlags(flags, before);
    const { scenarios: _scenarios, tags: _tags, ...withoutSelection } = changed;
    if (flags['every-scenario'] && flags.scenario.length + flags.tag.length > 0)
      throw vpError('FLAG_INVALID', {
        ...{ command: 'vp schedules edit', flag: '--every-scenario', problem: 'contradicts --scenario and --tag' },
      });
    const isReplaced = flags.scenario.length + flags.tag.length > 0;
    const selection = {
      ...(flags.scenario.length > 0 ? { scenarios: [...flags.scenario] } : {}),
      ...(flags.tag.length > 0 ? { tags: [...flags.tag] } : {}),
    };
    const definition = flags['every-scenario'] || isReplaced ? { ...withoutSelection, ...selection } : changed;
    const schedule = await schedules.change(instance, id, definition);
    const text = formatDefinition(schedule, instance);
    environment.streams.stdout.write(json ? `${JSON.stringify({ schedule }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

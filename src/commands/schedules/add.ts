import { command } from '../../command-line/command.ts';
import { hasValueForm } from '../../command-line/value-forms.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatDefinition } from './format-schedule.ts';
import { applyDefinitionFlags, definitionFlags, openInstance, scheduleFlags } from './schedule-flags.ts';

/** `vp schedules add`. */
export const schedulesAddCommand = command({
  name: 'schedules add',
  summary: 'create a schedule',
  positionals: [
    { name: 'schedule', describe: 'id of the new schedule: lowercase letters, digits and hyphens', required: true },
  ],
  flags: { ...definitionFlags, ...scheduleFlags },
  examples: [
    ['vp schedules add nightly --cron "0 2 * * *" --time-zone Europe/Berlin', 'run every scenario each night'],
    ['vp schedules add smoke --every 15m --tag smoke', 'run the scenarios with a tag every 15 minutes'],
    ['vp schedules add deploy --on webhook', 'print a URL and a secret for your pipeline'],
  ],
  notes:
    'Without --scenario and --tag every scenario runs. Each tick is requested exactly once, even across restarts and with ' +
    'several replicas. The secret of a webhook is printed only once. With --json: {"schedule": {…}, "webhook_secret"}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { stdout } = environment.streams;
    const problem = 'must be 1 to 60 lowercase letters, digits and hyphens';
    if (!hasValueForm('schedule', id))
      throw vpError('FLAG_INVALID', { command: 'vp schedules add', flag: '<schedule>', problem });
    const { schedules, instance, baseUrl } = await openInstance(flags, environment);
    const created = await schedules.create(instance, { schedule_id: id, ...applyDefinitionFlags(flags) });
    const { schedule, webhook_secret: secret } = created;
    const path = `/api/v1/instances/${instance}/schedules/${id}/webhook`;
    const webhook =
      secret === undefined ? '' : `  POST ${baseUrl}${path}\n  secret ${secret} (it is not shown again)\n`;
    stdout.write(json ? `${JSON.stringify(created, null, 2)}\n` : formatDefinition(schedule, instance, webhook));
    return exitCode.done;
  },
});

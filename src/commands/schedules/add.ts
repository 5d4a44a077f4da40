import { command } from '../../command-line/command.ts';
import { hasValueForm } from '../../command-line/value-forms.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatDefinition } from './format-schedule.ts';
import { applyDefinitionFlags, definitionFlags, openInstance, scheduleFlags } from './schedule-flags.ts';

/** `vp schedules add`. */
export const schedulesAddCommand = command({
  name: 'schedules add',
  summary: 'let scenarios run by themselves',
  positionals: [{ name: 'schedule', describe: 'id: lowercase letters, digits and hyphens', required: true }],
  flags: { ...definitionFlags, ...scheduleFlags },
  examples: [
    ['vp schedules add nightly --cron "0 2 * * *" --time-zone Europe/Berlin', 'every scenario, each night'],
    ['vp schedules add smoke --every 15m --tag smoke', 'scenarios with a tag'],
    ['vp schedules add deploy --on webhook', 'prints a URL and a secret for your pipeline'],
  ],
  notes:
    'A tick is requested exactly once, also over restarts and with several replicas. The secret of a webhook is printed ' +
    'only once. With --json: {"schedule": {…}, "webhook_secret"}.',
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

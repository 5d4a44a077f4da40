import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { parseEnd } from '../parse-end.ts';
import { openStatusPages, statusPageArgument, statusPageFlags, untilFlag } from './status-page-flags.ts';

const commandName = 'vp status-pages extend';

/** `vp status-pages extend`. */
export const statusPagesExtendCommand = command({
  name: 'status-pages extend',
  summary: 'let a status page end at another time',
  positionals: [statusPageArgument],
  flags: { until: untilFlag, ...statusPageFlags },
  examples: [['vp status-pages extend 4f2c9e1ab0 --until 90d', 'its link and badge go on as they are']],
  notes: 'The new end may be earlier too. With --json: {"status_page": {…}}.',
  async run({ flags, args: [id = ''], json, environment }) {
    if (flags.until === undefined)
      throw vpError('FLAG_INVALID', { command: commandName, flag: '--until', problem: 'is required' });
    const until = parseEnd(flags.until, environment.clock.nowMs(), commandName);
    const { statusPages, instance } = await openStatusPages(flags, environment);
    const page = await statusPages.extend(instance, id, { until });
    const text = `status page ${id} of ${instance} goes on until ${page.until}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ status_page: page }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openBrowser } from '../../process/open-browser.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';
import { findResult, toPagePath } from './result-reference.ts';

/** `vp open`. */
export const openCommand = command({
  name: 'open',
  summary: 'open the page of a run, suite or failure',
  positionals: [
    {
      name: 'result',
      describe: 'id of a run, suite or failure, or a part of a run id',
      required: true,
      kind: 'run',
    },
  ],
  flags: { instance: instanceFlag, ...controlPlaneFlags },
  examples: [
    ['vp open 20261120T143012345', 'the page of a run'],
    ['vp open s20261120T143012345', 'the page of a suite'],
  ],
  notes:
    'Prints the address, and opens it where there is a desktop and the output is a terminal. With --json: ' +
    '{"url": "…", "opened": true}, where `opened` says whether a browser was started.',
  async run({ flags, args: [text = ''], json, environment }) {
    const { streams } = environment;
    const client = await openClient(flags, environment);
    const { baseUrl } = client.transport;
    if (!/^https?:/.test(baseUrl)) {
      const problem = 'must be an http or https URL here: a browser cannot open the pages of a socket';
      throw vpError('FLAG_INVALID', { command: 'vp open', flag: '--control-plane', problem });
    }
    const url = `${baseUrl}${toPagePath(await findResult(client, text, flags.instance))}`;
    const opened = streams.stdout.isTTY === true && (await openBrowser(environment, url));
    streams.stdout.write(json ? `${JSON.stringify({ url, opened })}\n` : `${url}\n`);
    return exitCode.done;
  },
});

import type { Client } from '../../client/client.ts';
import { command } from '../../command-line/command.ts';
import { tokenExpiryOptions } from '../../contract/hubs/hubs-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';
import { formatHubToken } from './token-text.ts';
import { parseTokenToolList, tokenToolListChoices } from './token-tool-list.ts';

const name = 'tokens create';

/** `vp tokens create`. */
export const tokensCreateCommand = command({
  name,
  summary: 'create a personal access token for one hub',
  positionals: [{ name: 'name', describe: 'name to recognise it by', required: true }],
  flags: {
    hub: {
      type: 'string',
      placeholder: '<slug>',
      describe: 'the hub; may be omitted if you are a member of only one',
      kind: 'hub',
    },
    expiry: {
      type: 'string',
      placeholder: '<choice>',
      choices: tokenExpiryOptions,
      default: '90 days',
      describe: 'how long it is valid',
    },
    'tool-list': {
      type: 'string',
      placeholder: '<choice>',
      choices: tokenToolListChoices,
      default: 'hub',
      describe: 'whether clients list all tools or search for them; hub: as the hub says',
    },
    ...controlPlaneFlags,
  },
  examples: [['vp tokens create ci --hub acme --expiry "30 days"', 'for a client without a browser']],
  notes:
    'The token is for this hub and for you only. Needs `vp login`: an API key cannot create one. With --json: {"hub_token", "token"}.',
  async run({ flags, args: [label = ''], json, environment, catalogue }) {
    const expiry = tokenExpiryOptions.find((candidate) => candidate === flags.expiry);
    if (expiry === undefined)
      throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: '--expiry <choice>' });
    const client = await openClient(flags, environment);
    const created = await client.hubs.createToken(await selectHub(client, flags.hub), {
      name: label,
      expiry,
      tool_list: parseTokenToolList(flags['tool-list']) ?? null,
    });
    const text = await completeCommands(formatHubToken(created, client.transport.baseUrl), { environment, catalogue });
    environment.streams.stdout.write(json ? `${JSON.stringify(created, null, 2)}\n` : text);
    return exitCode.done;
  },
});

/** The named hub, or the only one that the caller belongs to. Throws HUB_NOT_CHOSEN. */
async function selectHub({ hubs }: Client, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const all = await hubs.list();
  const [first, second] = all;
  if (first && !second) return first.slug;
  const known = all.map(({ slug }) => slug).join(', ') || 'none yet: create one with `vp hubs create <slug>`';
  throw vpError('HUB_NOT_CHOSEN', { count: all.length, known });
}

import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { parseTokenToolList, tokenToolListChoices } from './token-tool-list.ts';

const name = 'tokens tool-list';

/** `vp tokens tool-list`. */
export const tokensToolListCommand = command({
  name,
  summary: 'choose whether clients with one of your tokens list all tools, or search for them',
  positionals: [
    { name: 'token', describe: 'id of the token, see `vp tokens list`', required: true, kind: 'token' },
    { name: 'mode', describe: '`all`, `search`, or `hub` for what its hub says', required: true },
  ],
  flags: controlPlaneFlags,
  examples: [['vp tokens tool-list 3fa94c0be17d2266 search', 'whatever the hub says']],
  notes: 'Connected clients are notified. With --json: {"hub_token"}.',
  async run({ flags, args: [id = '', mode], json, environment }) {
    const toolList = parseTokenToolList(mode);
    if (toolList === undefined)
      throw vpError('FLAG_INVALID', {
        command: `vp ${name}`,
        flag: '<mode>',
        problem: `must be ${tokenToolListChoices.join(' or ')}, not \`${mode}\``,
      });
    const { hubs } = await openClient(flags, environment);
    const changed = await hubs.updateToken(id, { tool_list: toolList });
    const text = `tool list of token ${changed.token_id}: ${changed.tool_list ?? `as its hub, ${changed.hub}`}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ hub_token: changed }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

import { command } from '../../command-line/command.ts';
import { toolListModes } from '../../contract/hubs/hubs-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';

const name = 'hubs tool-list';

/** `vp hubs tool-list`. */
export const hubsToolListCommand = command({
  name,
  summary: 'choose whether clients of a hub list all tools, or search for them',
  positionals: [hubArgument, { name: 'mode', describe: '`all` or `search`', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp hubs tool-list acme search', 'clients list find_tools, describe_tool and call_tool']],
  notes:
    'Owners of the hub. Connected clients are notified. A token with a tool list of its own keeps it (`vp tokens tool-list`). With --json: {"hub"}.',
  async run({ flags, args: [hub = '', chosen], json, environment }) {
    const mode = toolListModes.find((candidate) => candidate === chosen);
    if (mode === undefined)
      throw vpError('FLAG_INVALID', {
        command: `vp ${name}`,
        flag: '<mode>',
        problem: `must be ${toolListModes.join(' or ')}, not \`${chosen}\``,
      });
    const { hubs } = await openClient(flags, environment);
    const changed = await hubs.update(hub, { tool_list: mode });
    const text = `clients of ${changed.slug} ${mode === 'all' ? 'list all tools' : 'search for tools'}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ hub: changed }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

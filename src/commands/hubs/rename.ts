import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';

const name = 'hubs rename';

/** `vp hubs rename`. */
export const hubsRenameCommand = command({
  name,
  summary: 'change the slug or name of a hub',
  positionals: [hubArgument],
  flags: {
    slug: { type: 'string', placeholder: '<slug>', describe: 'the new slug' },
    name: { type: 'string', placeholder: '<name>', describe: 'the new name' },
    ...controlPlaneFlags,
  },
  examples: [['vp hubs rename acme --slug acme-tools', 'tokens keep working; URLs with /hub/acme/ stop working']],
  notes: 'With --json: {"hub"}.',
  async run({ flags, args: [hub = ''], json, environment }) {
    const change = {
      ...(flags.slug === undefined ? {} : { slug: flags.slug }),
      ...(flags.name === undefined ? {} : { name: flags.name }),
    };
    if (Object.keys(change).length === 0)
      throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: '--slug <slug> or --name <name>' });
    const { hubs } = await openClient(flags, environment);
    const changed = await hubs.update(hub, change);
    const text = `the hub is now ${changed.slug} (${changed.name})\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ hub: changed }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

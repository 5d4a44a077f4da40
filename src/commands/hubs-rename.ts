import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

const name = 'hubs rename';

/** `vp hubs rename`. */
export const hubsRenameCommand = command({
  name,
  summary: 'give a hub another slug or name',
  positionals: [{ name: 'hub', describe: 'slug of the hub', required: true }],
  flags: {
    slug: { type: 'string', placeholder: '<slug>', describe: 'the new slug' },
    name: { type: 'string', placeholder: '<name>', describe: 'the new name' },
    ...controlPlaneFlags,
  },
  examples: [['vp hubs rename acme --slug acme-tools', 'tokens go on; addresses with /hub/acme/ end']],
  notes: 'With --json: {"hub"}.',
  async run({ flags, words: [hub = ''], json, environment }) {
    const change = {
      ...(flags.slug === undefined ? {} : { slug: flags.slug }),
      ...(flags.name === undefined ? {} : { name: flags.name }),
    };
    if (Object.keys(change).length === 0)
      throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: '--slug <slug> or --name <name>' });
    const { hubs } = await connect(flags, environment);
    const changed = await hubs.change(hub, change);
    const text = `the hub is ${changed.slug} (${changed.name}) now\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ hub: changed }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

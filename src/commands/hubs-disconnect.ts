import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

/** `vp hubs disconnect`. */
export const hubsDisconnectCommand = command({
  name: 'hubs disconnect',
  summary: 'remove a connection of a hub with its credential',
  positionals: [
    { name: 'hub', describe: 'slug of the hub', required: true },
    { name: 'connection', describe: 'its name or id', required: true },
  ],
  flags: controlPlaneFlags,
  examples: [['vp hubs disconnect acme search', 'the tools search__… are gone']],
  notes: 'With --json: {"disconnected": "<name>"}.',
  async run({ flags, words: [hub = '', ref = ''], json, environment }) {
    const { hubs } = await connect(flags, environment);
    await hubs.removeConnection(hub, ref);
    const text = `${ref} is disconnected from ${hub}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ disconnected: ref })}\n` : text);
    return exitCode.done;
  },
});

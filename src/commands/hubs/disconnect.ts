import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';

/** `vp hubs disconnect`. */
export const hubsDisconnectCommand = command({
  name: 'hubs disconnect',
  summary: 'remove a connection of a hub and its credential',
  positionals: [hubArgument, { name: 'connection', describe: 'name or id of the connection', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp hubs disconnect acme search', 'removes the tools search__…']],
  notes: 'With --json: {"disconnected": "<name>"}.',
  async run({ flags, args: [hub = '', ref = ''], json, environment }) {
    const { hubs } = await openClient(flags, environment);
    await hubs.removeConnection(hub, ref);
    const text = `${ref} is disconnected from ${hub}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ disconnected: ref })}\n` : text);
    return exitCode.done;
  },
});

import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';

/** `vp hubs leave`. */
export const hubsLeaveCommand = command({
  name: 'hubs leave',
  summary: 'leave a hub',
  positionals: [hubArgument],
  flags: controlPlaneFlags,
  examples: [['vp hubs leave acme', 'from the next call on, your tokens for the hub are refused']],
  notes: 'The last owner cannot leave. With --json: {"left": "<slug>"}.',
  async run({ flags, args: [hub = ''], json, environment }) {
    const { hubs } = await openClient(flags, environment);
    await hubs.leave(hub);
    const text = `you have left ${hub}; your tokens for it no longer work\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ left: hub })}\n` : text);
    return exitCode.done;
  },
});

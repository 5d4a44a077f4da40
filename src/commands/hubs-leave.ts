import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

/** `vp hubs leave`. */
export const hubsLeaveCommand = command({
  name: 'hubs leave',
  summary: 'end your own membership of a hub',
  positionals: [{ name: 'hub', describe: 'slug of the hub', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp hubs leave acme', 'the next call of your tokens there is refused']],
  notes: 'Its last owner cannot leave. With --json: {"left": "<slug>"}.',
  async run({ flags, words: [hub = ''], json, environment }) {
    const { hubs } = await connect(flags, environment);
    await hubs.leave(hub);
    const text = `you have left ${hub}; your tokens of it open nothing any more\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ left: hub })}\n` : text);
    return exitCode.done;
  },
});

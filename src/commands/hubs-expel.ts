import { exitCode } from '../errors/exit-code.ts';
import { printableLine } from '../report/printable.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { personNamed } from './hubs/person.ts';

/** `vp hubs expel`. */
export const hubsExpelCommand = command({
  name: 'hubs expel',
  summary: 'end somebody’s membership of a hub',
  positionals: [
    { name: 'hub', describe: 'slug of the hub', required: true },
    { name: 'person', describe: 'their email or id', required: true },
  ],
  flags: controlPlaneFlags,
  examples: [['vp hubs expel acme max@example.com', 'the next call of Max’s tokens there is refused']],
  notes: 'With --json: {"expelled": "<id>"}.',
  async run({ flags, words: [hub = '', named = ''], json, environment }) {
    const client = await connect(flags, environment);
    const { person_id: id, name } = await personNamed(client, named);
    await client.hubs.removeMember(hub, id);
    const text = `${printableLine(name)} belongs to ${hub} no longer\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ expelled: id })}\n` : text);
    return exitCode.done;
  },
});

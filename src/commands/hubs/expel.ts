import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { requirePerson } from './find-person.ts';

/** `vp hubs expel`. */
export const hubsExpelCommand = command({
  name: 'hubs expel',
  summary: 'remove a person from a hub',
  positionals: [hubArgument, { name: 'person', describe: 'email or id of the person', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp hubs expel acme max@example.com', 'from the next call on, Max’s tokens for the hub are refused']],
  notes: 'With --json: {"expelled": "<id>"}.',
  async run({ flags, args: [hub = '', emailOrId = ''], json, environment }) {
    const client = await openClient(flags, environment);
    const { person_id: id, name } = await requirePerson(client, emailOrId);
    await client.hubs.removeMember(hub, id);
    const text = `${escapeUnsafeLine(name)} is no longer a member of ${hub}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ expelled: id })}\n` : text);
    return exitCode.done;
  },
});

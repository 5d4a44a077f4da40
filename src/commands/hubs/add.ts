import { command } from '../../command-line/command.ts';
import { hubRoleNames } from '../../contract/hubs/hubs-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { requirePerson } from './find-person.ts';

/** `vp hubs add`. */
export const hubsAddCommand = command({
  name: 'hubs add',
  summary: 'add a person to a hub, or change the role of a member',
  positionals: [
    hubArgument,
    { name: 'person', describe: 'email or id of a person with an account here', required: true },
  ],
  flags: {
    role: {
      type: 'string',
      placeholder: '<role>',
      choices: hubRoleNames,
      default: 'member',
      describe: 'role in the hub',
    },
    ...controlPlaneFlags,
  },
  examples: [['vp hubs add acme max@example.com --role viewer', 'Max can call read-only tools']],
  notes: 'With --json: {"member"}.',
  async run({ flags, args: [hub = '', emailOrId = ''], json, environment }) {
    const client = await openClient(flags, environment);
    const { person_id: id } = await requirePerson(client, emailOrId);
    const role = hubRoleNames.find((candidate) => candidate === flags.role) ?? 'member';
    const member = await client.hubs.setMember(hub, id, role);
    const text = `${escapeUnsafeLine(member.name)} is ${member.role === 'owner' ? 'an' : 'a'} ${member.role} of ${hub}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ member }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

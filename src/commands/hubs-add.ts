import { hubRoleWords } from '../contract/hub-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { printableLine } from '../report/printable.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { personNamed } from './hubs/person.ts';

/** `vp hubs add`. */
export const hubsAddCommand = command({
  name: 'hubs add',
  summary: 'add somebody to a hub, or give a member another role',
  positionals: [
    { name: 'hub', describe: 'slug of the hub', required: true },
    { name: 'person', describe: 'their email or id; they have an account here already', required: true },
  ],
  flags: {
    role: {
      type: 'string',
      placeholder: '<role>',
      choices: hubRoleWords,
      default: 'member',
      describe: 'what they may do there',
    },
    ...controlPlaneFlags,
  },
  examples: [['vp hubs add acme max@example.com --role viewer', 'Max calls tools that only read']],
  notes: 'With --json: {"member"}.',
  async run({ flags, words: [hub = '', named = ''], json, environment }) {
    const client = await connect(flags, environment);
    const { person_id: id } = await personNamed(client, named);
    const role = hubRoleWords.find((one) => one === flags.role) ?? 'member';
    const member = await client.hubs.putMember(hub, id, role);
    const text = `${printableLine(member.name)} is ${member.role} of ${hub}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ member }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

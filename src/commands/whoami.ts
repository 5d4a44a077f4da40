/** `vp whoami`: who this user is for a control plane, and by what. */
import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { askWho, whoText } from './login/who.ts';

/** The command. */
export const whoamiCommand = command({
  name: 'whoami',
  summary: 'tell who you are for a control plane',
  positionals: [],
  flags: controlPlaneFlags,
  examples: [['vp whoami', 'name, email and role']],
  async run({ flags, json, environment }) {
    const { transport } = await connect(flags, environment);
    const who = await askWho(transport);
    const text = `${whoText(who)}\n`;
    const document = { control_plane: transport.baseUrl, ...who };
    environment.streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    return exitCode.done;
  },
});

/** `vp whoami`. */

import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { fetchWhoami, formatWhoami } from './fetch-whoami.ts';

export const whoamiCommand = command({
  name: 'whoami',
  summary: 'show as whom you are signed in to a control plane',
  positionals: [],
  flags: controlPlaneFlags,
  examples: [['vp whoami', 'name, email and role']],
  async run({ flags, json, environment }) {
    const { transport } = await openClient(flags, environment);
    const whoami = await fetchWhoami(transport);
    const text = `${formatWhoami(whoami)}\n`;
    const document = { control_plane: transport.baseUrl, ...whoami };
    environment.streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    return exitCode.done;
  },
});

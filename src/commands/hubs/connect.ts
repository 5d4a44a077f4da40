import { command } from '../../command-line/command.ts';
import type { CreateHubConnectionRequest } from '../../contract/hubs/hubs-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';
import {
  credentialFlags,
  parseCredential,
  parseProtocol,
  parseServer,
  protocolFlag,
  serverFlags,
} from './connection-flags.ts';

const name = 'hubs connect';

/** `vp hubs connect`. */
export const hubsConnectCommand = command({
  name,
  summary: 'connect a tool server to a hub',
  positionals: [
    hubArgument,
    {
      name: 'name',
      describe: 'name, which prefixes its tools: at most 24 lowercase letters, digits, hyphens',
      required: true,
    },
    { name: 'server', describe: 'URL of the server, https://…; omit with --memory', required: false },
  ],
  flags: {
    ...serverFlags,
    memory: { type: 'boolean', default: false, describe: 'connect the memory service of this control plane' },
    ...credentialFlags,
    ...protocolFlag,
    ...controlPlaneFlags,
  },
  examples: [
    ['vp hubs connect acme search https://search.example.com/mcp', 'its tools are called search__…'],
    ['vp hubs connect acme crm https://crm.example.com/mcp --header X-Api-Key --secret-file crm.key', 'with a key'],
    ['vp hubs connect acme mail https://mail.example.com/mcp --oauth per_user', 'each person signs in separately'],
    ['vp hubs connect acme notes --memory', 'the memory service'],
  ],
  notes:
    'The credential is stored encrypted and never shown again. Try a server first with `vp hubs probe`. With --json: {"connection"}.',
  async run({ flags, args: [hub = '', prefix = '', server], json, environment, catalogue }) {
    const credential = await parseCredential(flags, environment, name);
    const target = parseTarget(flags, server);
    const input: CreateHubConnectionRequest = {
      name: prefix,
      ...target,
      ...(credential ? { credential } : {}),
      ...parseProtocol(flags),
    };
    const { hubs } = await openClient(flags, environment);
    const connection = await hubs.addConnection(hub, input);
    const next = connection.sign_in?.needed
      ? `\`vp hubs sign-in ${hub} ${connection.name}\``
      : `\`vp hubs probe ${hub} ${connection.name}\` lists what it offers`;
    const text = `${connection.name} is connected to ${hub}; its tools are called ${connection.name}__<tool>\nnext: ${next}\n`;
    environment.streams.stdout.write(
      json ? `${JSON.stringify({ connection }, null, 2)}\n` : await completeCommands(text, { environment, catalogue }),
    );
    return exitCode.done;
  },
});

type Target = Pick<CreateHubConnectionRequest, 'kind' | 'url' | 'command'>;

function parseTarget(
  flags: Parameters<typeof parseServer>[0] & { memory: boolean },
  server: string | undefined,
): Target {
  if (flags.memory && server !== undefined)
    throw vpError('COMMAND_WORD_UNEXPECTED', { command: `vp ${name}`, word: server });
  if (flags.memory) return { kind: 'memory' };
  if (server === undefined) throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: '<server>' });
  return parseServer(flags, server);
}

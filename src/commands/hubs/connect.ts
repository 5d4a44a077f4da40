import { command } from '../../command-line/command.ts';
import type { HubConnectionProbeResult } from '../../contract/hubs/connection-use-api.ts';
import type { CreateHubConnectionRequest, HubConnection } from '../../contract/hubs/hubs-api.ts';
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
import { formatServerProbe, formatWaitingDefinitions, getProbeExitCode } from './probe-text.ts';

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
    probe: { type: 'boolean', default: true, describe: 'call the server; --no-probe: only store the connection' },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp hubs connect acme search https://search.example.com/mcp', 'its tools are called search__…'],
    ['vp hubs connect acme crm https://crm.example.com/mcp --header X-Api-Key --secret-file crm.key', 'with a key'],
    ['vp hubs connect acme mail https://mail.example.com/mcp --oauth per_user', 'each person signs in separately'],
    ['vp hubs connect acme notes --memory', 'the memory service'],
  ],
  notes:
    'The connection is stored, then its server is called and its lists are adopted, as by `vp hubs probe`. The credential is stored encrypted and never shown again. ' +
    'With --oauth the server is called once somebody has signed in. Exit code 1: the connection is stored, and its server could not be used. ' +
    'With --json: {"connection", "probe"}; probe is null where the server was not called.',
  async run({ flags, args: [hub = '', prefix = '', server], json, environment, catalogue }) {
    const credential = await parseCredential(flags, environment, name);
    const target = parseTarget(flags, server);
    const input: CreateHubConnectionRequest = {
      name: prefix,
      ...target,
      ...(credential ? { credential } : {}),
      ...parseProtocol(flags),
    };
    const client = await openClient(flags, environment);
    const added = await client.hubs.addConnection(hub, input);
    const write = async (text: string): Promise<void> =>
      void environment.streams.stdout.write(await completeCommands(text, { environment, catalogue }));
    // Before the server is called, which takes up to 10 s and may fail in any way.
    if (!json) await write(`${added.name} is stored in ${hub}; its tools are called ${added.name}__<tool>\n`);
    const isCalled = flags.probe && !added.sign_in?.needed;
    const probe = isCalled ? await client.hubConnectionUse.probeConnection(hub, added.connection_id) : null;
    if (json) {
      const connection = isCalled ? await client.hubs.getConnection(hub, added.connection_id) : added;
      environment.streams.stdout.write(`${JSON.stringify({ connection, probe }, null, 2)}\n`);
    } else {
      // What the server says is no text of ours, whose commands would be completed.
      if (probe) environment.streams.stdout.write(formatServerProbe(probe));
      if (probe) await write(await formatWaitingDefinitions(client, hub, added.name));
      await write(formatNextStep(hub, added, probe));
    }
    return probe ? getProbeExitCode(probe) : exitCode.done;
  },
});

function formatNextStep(
  hub: string,
  { name, sign_in: signIn, credential }: HubConnection,
  probe: HubConnectionProbeResult | null,
): string {
  if (signIn?.needed)
    return `! its server was not called: nobody has signed in there yet\nnext: \`vp hubs sign-in ${hub} ${name}\`\n`;
  const call = `\`vp hubs probe ${hub} ${name}\``;
  if (!probe) return `! its server was not called\nnext: ${call} calls it\n`;
  if (!probe.problem) return `next: ${call} lists what it offers\n`;
  if (probe.problem.code === 'UPSTREAM_SIGN_IN_NEEDED' && credential.kind === 'none')
    return `next: \`vp hubs change ${hub} ${name} --oauth shared\` if people sign in there, or --header <name> for a key\n`;
  return `next: ${call} calls it again\n`;
}

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

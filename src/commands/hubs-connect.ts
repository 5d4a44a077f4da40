import type { HubConnectionNew } from '../contract/hub-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { credentialFlags, credentialOf, serverFlags, serverOf } from './hubs/connection-flags.ts';

const name = 'hubs connect';

/** `vp hubs connect`. */
export const hubsConnectCommand = command({
  name,
  summary: 'connect a tool server to a hub',
  positionals: [
    { name: 'hub', describe: 'slug of the hub', required: true },
    { name: 'name', describe: 'prefix of its tools: at most 24 lowercase letters, digits, hyphens', required: true },
    { name: 'server', describe: 'its address, https://…; none with --memory', required: false },
  ],
  flags: {
    ...serverFlags,
    memory: { type: 'boolean', default: false, describe: 'the memory service of this control plane' },
    ...credentialFlags,
    ...controlPlaneFlags,
  },
  examples: [
    ['vp hubs connect acme search https://search.example.com/mcp', 'its tools are called search__…'],
    ['vp hubs connect acme crm https://crm.example.com/mcp --header X-Api-Key --secret-file crm.key', 'with a key'],
    ['vp hubs connect acme mail https://mail.example.com/mcp --oauth per_user', 'each person signs in by themselves'],
    ['vp hubs connect acme notes --memory', 'what people ask to be remembered'],
  ],
  notes:
    'The credential is kept sealed and never shown again. `vp hubs probe` looks at a server first. With --json: {"connection"}.',
  async run({ flags, words: [hub = '', prefix = '', server], json, environment }) {
    const credential = await credentialOf(flags, environment, name);
    const target = targetOf(flags, server);
    const input: HubConnectionNew = { name: prefix, ...target, ...(credential ? { credential } : {}) };
    const { hubs } = await connect(flags, environment);
    const connection = await hubs.addConnection(hub, input);
    const next = connection.sign_in?.needed ? `next: \`vp hubs sign-in ${hub} ${connection.name}\`\n` : '';
    const text = `${connection.name} is connected to ${hub}; its tools are called ${connection.name}__<tool>\n${next}`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ connection }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

type Target = Pick<HubConnectionNew, 'kind' | 'url' | 'command'>;

function targetOf(flags: Parameters<typeof serverOf>[0] & { memory: boolean }, server: string | undefined): Target {
  if (flags.memory && server !== undefined)
    throw vpError('COMMAND_WORD_UNEXPECTED', { command: `vp ${name}`, word: server });
  if (flags.memory) return { kind: 'memory' };
  if (server === undefined) throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: '<server>' });
  return serverOf(flags, server);
}

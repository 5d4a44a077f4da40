import { resolve } from 'node:path';
import type { ConnectionCredentialWrite, HubConnectionNew } from '../contract/hub-api.ts';
import type { Environment } from '../environment/environment.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { readKeyFile } from '../secrets/key-file.ts';
import { command, type Flags, type FlagValues } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

const name = 'hubs connect';
const ownFlags = {
  sse: { type: 'boolean', default: false, describe: 'the server speaks the older HTTP with SSE' },
  stdio: { type: 'boolean', default: false, describe: '<server> is a program’s name in the operator’s file' },
  header: { type: 'string', placeholder: '<name>', describe: 'header that carries the credential, as Authorization' },
  'secret-file': {
    type: 'string',
    placeholder: '<file>',
    describe: 'file of mode 0600 with the header’s whole value; else VP_CONNECTION_SECRET',
  },
  oauth: {
    type: 'string',
    placeholder: '<sharing>',
    choices: ['shared', 'per_user'],
    describe: 'sign in at the upstream: once for the hub, or each person by themselves',
  },
} as const satisfies Flags;

/** `vp hubs connect`. */
export const hubsConnectCommand = command({
  name,
  summary: 'connect a tool server to a hub',
  positionals: [
    { name: 'hub', describe: 'slug of the hub', required: true },
    { name: 'name', describe: 'prefix of its tools: at most 24 lowercase letters, digits, hyphens', required: true },
    { name: 'server', describe: 'its address, https://…', required: true },
  ],
  flags: { ...ownFlags, ...controlPlaneFlags },
  examples: [
    ['vp hubs connect acme search https://search.example.com/mcp', 'its tools are called search__…'],
    ['vp hubs connect acme crm https://crm.example.com/mcp --header X-Api-Key --secret-file crm.key', 'with a key'],
  ],
  notes: 'The credential is kept sealed and never shown again. With --json: {"connection"}.',
  async run({ flags, words: [hub = '', prefix = '', server = ''], json, environment }) {
    const input: HubConnectionNew = { name: prefix, ...targetOf(flags, server), ...credentialOf(flags, environment) };
    const { hubs } = await connect(flags, environment);
    const connection = await hubs.addConnection(hub, input);
    const text = `${connection.name} is connected to ${hub}; its tools are called ${connection.name}__<tool>\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ connection }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

type Values = FlagValues<typeof ownFlags>;

function targetOf({ sse, stdio }: Values, server: string): Pick<HubConnectionNew, 'kind' | 'url' | 'command'> {
  if (stdio) return { kind: 'stdio', command: server };
  return { kind: sse ? 'sse' : 'http', url: server };
}

function credentialOf(flags: Values, environment: Environment): { credential?: ConnectionCredentialWrite } {
  const { header, oauth } = flags;
  if (oauth === 'shared' || oauth === 'per_user') return { credential: { kind: 'oauth', sharing: oauth } };
  if (header === undefined) return {};
  return { credential: { kind: 'header', header, value: secretOf(flags, environment) } };
}

/** Throws FLAG_INVALID, STORE_KEY_EXPOSED. Never from the command line, which everybody on the machine reads. */
function secretOf(flags: Values, { variables, cwd }: Environment): string {
  const file = flags['secret-file'];
  const secret = file === undefined ? variables.VP_CONNECTION_SECRET?.trim() : readKeyFile(resolve(cwd, file));
  if (secret) return secret;
  const problem = 'needs the secret, in VP_CONNECTION_SECRET or with --secret-file';
  throw vpError('FLAG_INVALID', { command: `vp ${name}`, flag: '--header', problem });
}

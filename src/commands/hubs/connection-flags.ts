/** Flags about a connection of a hub: where its server is, and what it is shown. */
import { resolve } from 'node:path';
import type { ConnectionCredentialWrite, HubConnectionNew } from '../../contract/hub-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { readKeyFile } from '../../secrets/key-file.ts';
import type { Flags, FlagValues } from '../command.ts';
import { typedLine } from '../typed-line.ts';

/** What kind of server it is. */
export const serverFlags = {
  sse: { type: 'boolean', default: false, describe: 'the server speaks the older HTTP with SSE' },
  stdio: { type: 'boolean', default: false, describe: '<server> is a program’s name in the operator’s file' },
} as const satisfies Flags;

/** The credential; secrets come from a file, standard input or the environment. */
export const credentialFlags = {
  header: { type: 'string', placeholder: '<name>', describe: 'header that carries the credential, as Authorization' },
  oauth: {
    type: 'string',
    placeholder: '<sharing>',
    choices: ['shared', 'per_user'],
    describe: 'sign in at the upstream: once for the hub, or each person by themselves',
  },
  'client-id': {
    type: 'string',
    placeholder: '<id>',
    describe: 'with --oauth: the hub’s client there; unless given it registers itself',
  },
  scope: {
    type: 'string',
    placeholder: '<scope>',
    describe: 'with --oauth: what is asked for, as the server names it',
  },
  'secret-file': {
    type: 'string',
    placeholder: '<file>',
    describe:
      'file of mode 0600, or - for a line of standard input: the header’s whole value, or the secret of --client-id; else VP_CONNECTION_SECRET',
  },
} as const satisfies Flags;

type Server = FlagValues<typeof serverFlags>;
type Credential = FlagValues<typeof credentialFlags>;

/** The server that a word names. */
export function serverOf({ sse, stdio }: Server, server: string): Pick<HubConnectionNew, 'kind' | 'url' | 'command'> {
  if (stdio) return { kind: 'stdio', command: server };
  return { kind: sse ? 'sse' : 'http', url: server };
}

/** The credential that the flags of `command` name; undefined where they name none. Throws FLAG_INVALID, STORE_KEY_*. */
export async function credentialOf(
  flags: Credential,
  environment: Environment,
  command: string,
): Promise<ConnectionCredentialWrite | undefined> {
  const { header, oauth, scope, 'client-id': clientId } = flags;
  const refuse = (flag: string, problem: string): never => {
    throw vpError('FLAG_INVALID', { command: `vp ${command}`, flag, problem });
  };
  if (header !== undefined && oauth !== undefined) refuse('--header', 'cannot stand with --oauth');
  if (oauth === undefined && clientId !== undefined) refuse('--client-id', 'needs --oauth');
  if (oauth === undefined && scope !== undefined) refuse('--scope', 'needs --oauth');
  const isSecretGiven = flags['secret-file'] !== undefined;
  if (isSecretGiven && header === undefined && clientId === undefined)
    refuse('--secret-file', 'needs --header or --client-id');
  if (oauth === 'shared' || oauth === 'per_user')
    return {
      kind: 'oauth',
      sharing: oauth,
      ...(scope === undefined ? {} : { scope }),
      ...(await clientOf(flags, environment)),
    };
  if (header === undefined) return undefined;
  const value = await secretOf(flags, environment);
  if (value) return { kind: 'header', header, value };
  return refuse('--header', 'needs the secret, in VP_CONNECTION_SECRET or with --secret-file');
}

async function clientOf(flags: Credential, environment: Environment) {
  const clientId = flags['client-id'];
  if (clientId === undefined) return {};
  const secret = await secretOf(flags, environment);
  return { client_id: clientId, ...(secret ? { client_secret: secret } : {}) };
}

/** Never from the command line, which everybody on the machine reads. */
async function secretOf(flags: Credential, { variables, cwd, streams }: Environment): Promise<string | undefined> {
  const file = flags['secret-file'];
  if (file === '-') return (await typedLine(streams.stdin)).trim();
  return file === undefined ? variables.VP_CONNECTION_SECRET?.trim() : readKeyFile(resolve(cwd, file));
}

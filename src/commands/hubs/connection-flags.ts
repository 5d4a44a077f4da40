/** Flags for the server and the credential of a hub's connection. */
import type { FlagDefinitions, FlagValues } from '../../command-line/command.ts';
import {
  type ConnectionCredentialInput,
  type ConnectionProtocol,
  type CreateHubConnectionRequest,
  connectionProtocols,
} from '../../contract/hubs/hubs-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { readSecretFile } from '../secret-file.ts';

export const serverFlags = {
  sse: { type: 'boolean', default: false, describe: 'the server uses the older HTTP with SSE transport' },
  stdio: { type: 'boolean', default: false, describe: '<server> is the name of a command in the operator’s file' },
} as const satisfies FlagDefinitions;

export const protocolFlag = {
  protocol: {
    type: 'string',
    placeholder: '<protocol>',
    choices: connectionProtocols,
    describe: 'the revisions of MCP in which the server is called: auto (the newest it has), newest or older',
  },
} as const satisfies FlagDefinitions;

/** The member of a request; none if the flag is not given. */
export function parseProtocol({ protocol }: FlagValues<typeof protocolFlag>): {
  readonly protocol?: ConnectionProtocol;
} {
  const chosen = connectionProtocols.find((known) => known === protocol);
  return chosen === undefined ? {} : { protocol: chosen };
}

/** Secrets are read from a file, standard input or the environment. */
export const credentialFlags = {
  header: { type: 'string', placeholder: '<name>', describe: 'header for the credential, such as Authorization' },
  oauth: {
    type: 'string',
    placeholder: '<sharing>',
    choices: ['shared', 'per_user'],
    describe: 'sign in at the server with OAuth: once for the hub, or each person separately',
  },
  'client-id': {
    type: 'string',
    placeholder: '<id>',
    describe: 'with --oauth: client id at the server; registered automatically unless given',
  },
  scope: {
    type: 'string',
    placeholder: '<scope>',
    describe: 'with --oauth: the scopes to request',
  },
  'secret-file': {
    type: 'string',
    placeholder: '<file>',
    describe:
      'file of mode 0600, or - for a line of standard input, with the full header value or the secret of --client-id; else VP_CONNECTION_SECRET',
  },
} as const satisfies FlagDefinitions;

type ServerFlagValues = FlagValues<typeof serverFlags>;
type Refusal = (flag: string, problem: string) => never;
type CredentialFlagValues = FlagValues<typeof credentialFlags>;

/** The server that the argument names. */
export function parseServer(
  { sse, stdio }: ServerFlagValues,
  server: string,
): Pick<CreateHubConnectionRequest, 'kind' | 'url' | 'command'> {
  if (stdio) return { kind: 'stdio', command: server };
  return { kind: sse ? 'sse' : 'http', url: server };
}

/** Undefined if the flags of `command` name no credential. Throws FLAG_INVALID, STORE_KEY_*. */
export async function parseCredential(
  flags: CredentialFlagValues,
  environment: Environment,
  command: string,
): Promise<ConnectionCredentialInput | undefined> {
  const { header, oauth, scope, 'client-id': clientId } = flags;
  const refuse = (flag: string, problem: string): never => {
    throw vpError('FLAG_INVALID', { command: `vp ${command}`, flag, problem });
  };
  if (header !== undefined && oauth !== undefined) refuse('--header', 'cannot be combined with --oauth');
  if (oauth === undefined && clientId !== undefined) refuse('--client-id', 'needs --oauth');
  if (oauth === undefined && scope !== undefined) refuse('--scope', 'needs --oauth');
  const hasSecretFile = flags['secret-file'] !== undefined;
  if (hasSecretFile && header === undefined && clientId === undefined)
    refuse('--secret-file', 'needs --header or --client-id');
  if (oauth === 'shared' || oauth === 'per_user')
    return {
      kind: 'oauth',
      sharing: oauth,
      ...(scope === undefined ? {} : { scope }),
      ...(await parseOAuthClient(flags, environment, refuse)),
    };
  if (header === undefined) return undefined;
  const value = await readSecret(flags, environment, refuse);
  if (value) return { kind: 'header', header, value };
  return refuse('--header', 'needs the secret, in VP_CONNECTION_SECRET or with --secret-file');
}

async function parseOAuthClient(flags: CredentialFlagValues, environment: Environment, refuse: Refusal) {
  const clientId = flags['client-id'];
  if (clientId === undefined) return {};
  const secret = await readSecret(flags, environment, refuse);
  return { client_id: clientId, ...(secret ? { client_secret: secret } : {}) };
}

async function readSecret(
  flags: CredentialFlagValues,
  environment: Environment,
  refuse: Refusal,
): Promise<string | undefined> {
  const file = flags['secret-file'];
  return file === undefined
    ? environment.variables.VP_CONNECTION_SECRET?.trim()
    : readSecretFile(file, refuse, environment);
}

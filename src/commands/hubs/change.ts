import { command, type FlagValues } from '../../command-line/command.ts';
import type { UpdateHubConnectionRequest } from '../../contract/hubs/hubs-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { credentialFlags, parseCredential, parseProtocol, protocolFlag } from './connection-flags.ts';

const name = 'hubs change';
const flags = {
  name: { type: 'string', placeholder: '<name>', describe: 'a new name, which prefixes the names of its tools' },
  url: {
    type: 'string',
    placeholder: '<url>',
    describe: 'a new URL; the credential is not kept for another host',
  },
  program: { type: 'string', placeholder: '<name>', describe: 'another command of the operator’s file' },
  enabled: { type: 'boolean', describe: 'offer its tools; --no-enabled: stop offering them' },
  ...credentialFlags,
  ...protocolFlag,
  'without-credential': { type: 'boolean', default: false, describe: 'remove the credential' },
  ...controlPlaneFlags,
} as const;

/** `vp hubs change`. */
export const hubsChangeCommand = command({
  name,
  summary: 'change a connection: its name, URL, credential, or whether it is enabled',
  positionals: [hubArgument, { name: 'connection', describe: 'name or id of the connection', required: true }],
  flags,
  examples: [
    ['vp hubs change acme search --name web', 'its tools are now called web__…'],
    ['vp hubs change acme crm --header X-Api-Key --secret-file crm.key', 'replace the key'],
    ['vp hubs change acme mail --no-enabled', 'its tools are no longer offered'],
    ['vp hubs change acme crm --protocol older', 'call it with sessions, although it has the newest revision'],
  ],
  notes: 'Only what the flags name changes. With --json: {"connection"}.',
  async run({ flags, args: [hub = '', ref = ''], json, environment }) {
    const input = await parseChange(flags, environment);
    const { hubs } = await openClient(flags, environment);
    const connection = await hubs.updateConnection(hub, ref, input);
    const toolsNote = connection.enabled
      ? `its tools are called ${connection.name}__<tool>`
      : 'its tools are not offered';
    const text = `${connection.name} of ${hub} is changed; ${toolsNote}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ connection }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

/** Throws FLAG_INVALID. */
async function parseChange(
  values: FlagValues<typeof flags>,
  environment: Environment,
): Promise<UpdateHubConnectionRequest> {
  const { url, program, enabled, 'without-credential': withoutCredential } = values;
  const credential = withoutCredential ? { kind: 'none' as const } : await parseCredential(values, environment, name);
  const input: UpdateHubConnectionRequest = {
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(url === undefined ? {} : { url }),
    ...(program === undefined ? {} : { command: program }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(credential === undefined ? {} : { credential }),
    ...parseProtocol(values),
  };
  if (Object.keys(input).length > 0) return input;
  const problem = 'or another flag must be given';
  throw vpError('FLAG_INVALID', { command: `vp ${name}`, flag: '--name', problem });
}

import type { HubConnectionChange } from '../contract/hub-api.ts';
import type { Environment } from '../environment/environment.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { command, type FlagValues } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { credentialFlags, credentialOf } from './hubs/connection-flags.ts';

const name = 'hubs change';
const flags = {
  name: { type: 'string', placeholder: '<name>', describe: 'another prefix of its tools' },
  url: {
    type: 'string',
    placeholder: '<url>',
    describe: 'another address; a credential does not follow to another host',
  },
  program: { type: 'string', placeholder: '<name>', describe: 'another program of the operator’s file' },
  enabled: { type: 'boolean', describe: 'offer its tools; --no-enabled: do not' },
  ...credentialFlags,
  'without-credential': { type: 'boolean', default: false, describe: 'forget the credential' },
  ...controlPlaneFlags,
} as const;

/** `vp hubs change`. */
export const hubsChangeCommand = command({
  name,
  summary: 'change a connection of a hub: name, address, credential, on or off',
  positionals: [
    { name: 'hub', describe: 'slug of the hub', required: true },
    { name: 'connection', describe: 'its name or id', required: true },
  ],
  flags,
  examples: [
    ['vp hubs change acme search --name web', 'its tools are called web__… from now on'],
    ['vp hubs change acme crm --header X-Api-Key --secret-file crm.key', 'another key'],
    ['vp hubs change acme mail --no-enabled', 'its tools are not offered any more'],
  ],
  notes: 'What is not named stays as it is. With --json: {"connection"}.',
  async run({ flags, words: [hub = '', ref = ''], json, environment }) {
    const input = await changeOf(flags, environment);
    const { hubs } = await connect(flags, environment);
    const connection = await hubs.changeConnection(hub, ref, input);
    const how = connection.enabled ? `its tools are called ${connection.name}__<tool>` : 'its tools are not offered';
    const text = `${connection.name} of ${hub} is changed; ${how}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ connection }, null, 2)}\n` : text);
    return exitCode.done;
  },
});

/** Throws FLAG_INVALID. */
async function changeOf(values: FlagValues<typeof flags>, environment: Environment): Promise<HubConnectionChange> {
  const { url, program, enabled, 'without-credential': without } = values;
  const credential = without ? { kind: 'none' as const } : await credentialOf(values, environment, name);
  const input: HubConnectionChange = {
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(url === undefined ? {} : { url }),
    ...(program === undefined ? {} : { command: program }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(credential === undefined ? {} : { credential }),
  };
  if (Object.keys(input).length > 0) return input;
  const problem = 'or another flag must say what is to change';
  throw vpError('FLAG_INVALID', { command: `vp ${name}`, flag: '--name', problem });
}

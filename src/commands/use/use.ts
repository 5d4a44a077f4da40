/** `vp use`: shows and changes the control plane and the instance of the commands that name none. */
import { command, type Invocation } from '../../command-line/command.ts';
import type { InheritedValue } from '../../command-line/inherited-values.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { toVpError, type VpError, vpError } from '../../errors/vp-error.ts';
import { openClient, parseControlPlaneUrl } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { getControlPlaneToken, listCredentialHosts } from '../control-plane/credentials.ts';
import { type CurrentValues, readCurrentValues } from '../control-plane/current-values.ts';
import {
  clearPreferences,
  getPreferencesFile,
  preferControlPlane,
  preferInstance,
} from '../control-plane/preferences.ts';

const flags = {
  instance: { type: 'string', placeholder: '<id>', describe: 'use this instance there', kind: 'instance' },
  clear: { type: 'boolean', default: false, describe: 'forget the control plane and all instances' },
  ca: controlPlaneFlags.ca,
  'allow-insecure': controlPlaneFlags['allow-insecure'],
} as const;

type Call = Invocation<typeof flags>;

/** `vp use`. */
export const useCommand = command({
  name: 'use',
  summary: 'choose the control plane and instance of later commands',
  positionals: [{ name: 'control-plane', describe: 'its URL, as `--control-plane`', required: false }],
  flags,
  examples: [
    ['vp use', 'which control plane and instance commands use, and why'],
    ['vp use https://vp.example.com --instance shop', 'use these until you choose others'],
    ['vp use --clear', 'use the default again'],
  ],
  notes:
    'Order of precedence: the flag (--control-plane, --instance), its variable (VP_CONTROL_PLANE, VP_INSTANCE), the folder (one that ' +
    '`vp connect` or `vp onboard` connected, or below it), `vp use` or the last `vp login`, the default. An instance belongs to ' +
    'the control plane it was chosen at. `vp runs`, which only filters by instance, and commands that remove an instance take ' +
    'it from the flag or the variable only. The --json output of the commands has a member "used" with what came from the folder ' +
    'or `vp use`. With --json, `vp use` prints {"control_plane", "instance", "signed_in", "file"}.',
  async run(call) {
    const { flags, args, environment } = call;
    if (flags.clear) return clear(call);
    const [address] = args;
    if (address !== undefined)
      preferControlPlane(environment.paths, parseControlPlaneUrl(address, 'vp use', 'the URL'));
    let current = await readCurrentValues(environment);
    const problem = flags.instance === undefined ? undefined : await storeInstance(call, current, address);
    if (flags.instance !== undefined) current = await readCurrentValues(environment);
    print(call, current, problem);
    return exitCode.done;
  },
});

function clear({ flags, args, json, environment }: Call): ExitCode {
  if (args.length > 0 || flags.instance !== undefined)
    throw vpError('FLAG_CONTRADICTED', {
      flag: '--clear',
      other: flags.instance === undefined ? 'a URL' : '--instance',
    });
  clearPreferences(environment.paths);
  environment.streams.stdout.write(
    json ? '{"cleared":true}\n' : 'no control plane and no instance is chosen any more\n',
  );
  return exitCode.done;
}

/** Stores the instance. Throws INSTANCE_UNKNOWN; returns why it could not be checked. */
async function storeInstance(
  { flags, environment }: Call,
  { controlPlane }: CurrentValues,
  address: string | undefined,
): Promise<VpError | undefined> {
  const url = address === undefined ? controlPlane.value : parseControlPlaneUrl(address, 'vp use', 'the URL');
  const { instance = '', ca, 'allow-insecure': allowInsecure } = flags;
  let problem: VpError | undefined;
  try {
    const client = await openClient({ 'control-plane': url, ca, 'allow-insecure': allowInsecure }, environment);
    await client.instances.get(instance);
  } catch (error) {
    problem = toVpError(error);
    if (problem.code === 'INSTANCE_UNKNOWN' || problem.code === 'INTERNAL') throw error;
  }
  preferInstance(environment.paths, url, instance);
  return problem;
}

function print({ json, environment }: Call, { controlPlane, instance }: CurrentValues, problem?: VpError): void {
  const { streams, paths } = environment;
  const isSignedIn = hasCredential(environment, controlPlane.value);
  if (json) {
    const document = {
      control_plane: { url: controlPlane.value, source: controlPlane.source },
      instance: instance === undefined ? null : { id: instance.value, source: instance.source },
      signed_in: isSignedIn,
      file: getPreferencesFile(paths),
    };
    streams.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    return;
  }
  const hosts = listCredentialHosts(paths);
  const lines = [
    `control plane  ${formatValue(controlPlane)}`,
    `instance       ${instance === undefined ? 'none chosen; commands use the only one there is, or choose one with `vp use --instance <id>`' : formatValue(instance)}`,
    `signed in      ${isSignedIn ? 'yes' : `no: sign in with \`vp login\`${hosts.length === 0 ? '' : `; there are credentials for ${hosts.join(', ')}`}`}`,
    ...(problem === undefined ? [] : [`not checked    ${problem.message}`]),
  ];
  streams.stdout.write(`${lines.join('\n')}\n`);
}

function formatValue({ value, label }: InheritedValue): string {
  return `${value} (${label})`;
}

function hasCredential(environment: Environment, url: string): boolean {
  try {
    getControlPlaneToken(environment, url);
    return true;
  } catch {
    return false;
  }
}

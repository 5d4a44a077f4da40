/** The registry that a command's flags name, its signing key, and the name servers for lookups. */
import { join, resolve } from 'node:path';
import { completeAddress } from '../../addresses/written-address.ts';
import { createNetworkError } from '../../client/transport/network-error.ts';
import type { FlagDefinitions, FlagValues } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { describeConnectionError, trustSteps } from '../../errors/connection-problems.ts';
import { vpError } from '../../errors/vp-error.ts';
import { createGuardedFetch } from '../../outbound/guarded-fetch.ts';
import { isLoopback } from '../../outbound/outbound-fetch.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { createTextRecordLookup, type TextRecordLookup } from '../../registry/dns-proof/text-records.ts';
import { createRemoteRegistry, type RemoteRegistry } from '../../registry/publishing/remote-registry.ts';
import { type DomainSigningKey, readSigningKey } from '../../registry/publishing/signing-key.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { readInheritedValues } from '../control-plane/current-values.ts';
import { parseResolvers } from '../serve/registry-flags.ts';

/** For commands that sign. */
export const keyFlags = {
  registry: {
    type: 'string',
    placeholder: '<url>',
    describe: 'URL of the registry (default: the control plane in use)',
    variable: 'VP_REGISTRY',
  },
  key: {
    type: 'string',
    placeholder: '<file>',
    describe: 'file of the signing key (default: one per registry in the config folder)',
    variable: 'VP_REGISTRY_KEY',
  },
} as const satisfies FlagDefinitions;

/** For commands that look up TXT records. */
export const resolverFlags = {
  resolver: {
    type: 'strings',
    placeholder: '<address>',
    describe: 'name server to use, such as 192.0.2.1 or 192.0.2.1:53 (default: the system’s)',
  },
} as const satisfies FlagDefinitions;

/** For commands that call a registry. */
export const callFlags = { ca: controlPlaneFlags.ca, 'allow-insecure': controlPlaneFlags['allow-insecure'] } as const;

const answerLimitBytes = 2_000_000;

/**
 * The URL without a trailing slash and without the API version; where none is named, the control plane in use. Throws FLAG_INVALID.
 */
export async function resolveRegistryUrl(
  named: string | undefined,
  environment: Environment,
  command: string,
): Promise<string> {
  const text = named ?? (await findControlPlane(environment));
  const url = URL.parse(completeAddress(text));
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (isPlain) return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v0(\.1)?$/, '');
  throw vpError('FLAG_INVALID', {
    command,
    flag: '--registry',
    problem: `is not a URL with http:// or https://: ${text}`,
  });
}

async function findControlPlane(environment: Environment): Promise<string> {
  const { variable, default: usual } = controlPlaneFlags['control-plane'];
  const inherited = async () => (await readInheritedValues(environment)).controlPlane()?.value;
  return environment.variables[variable] ?? (await inherited()) ?? usual;
}

/** The file of the signing key for a registry: `<config>/registry/<host>_<port>.pem`. */
export function resolveKeyFile(
  named: string | undefined,
  address: string,
  { paths, cwd }: Pick<Environment, 'paths' | 'cwd'>,
): string {
  if (named !== undefined) return resolve(cwd, named);
  const { hostname, port, protocol } = new URL(address);
  const effectivePort = port || (protocol === 'https:' ? '443' : '80');
  return join(paths.config, 'registry', `${hostname.replaceAll(/[^a-z0-9.-]/gi, '-')}_${effectivePort}.pem`);
}

/** Throws REGISTRY_KEY_MISSING and what {@link readSigningKey} throws. */
export function loadSigningKey(
  flags: FlagValues<typeof keyFlags>,
  address: string,
  environment: Environment,
): DomainSigningKey {
  const file = resolveKeyFile(flags.key, address, environment);
  const key = readSigningKey(file, new URL(address).origin);
  if (key) return key;
  throw vpError('REGISTRY_KEY_MISSING', { registry: address, file });
}

/** Throws FLAG_INVALID. */
export function createRecordLookup(flags: FlagValues<typeof resolverFlags>, command: string): TextRecordLookup {
  return createTextRecordLookup(parseResolvers(flags.resolver, command, '--resolver'));
}

/** `close` closes the connections. Throws CREDENTIAL_IN_CLEAR, EXECUTOR_CA_UNREADABLE. */
export function openRemoteRegistry(
  flags: FlagValues<typeof callFlags>,
  address: string,
  { variables, cwd }: Pick<Environment, 'variables' | 'cwd'>,
): { remote: RemoteRegistry; close(): Promise<void> } {
  if (address.startsWith('http:') && !isLoopback(address) && !flags['allow-insecure'])
    throw vpError('CREDENTIAL_IN_CLEAR', { url: address });
  const extraRoots = flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca));
  // Private addresses are allowed: the user named the registry, which may be in their own network.
  const { fetch, close } = createGuardedFetch({ allowPrivate: true, extraRoots, variables, answerLimitBytes });
  const explain = (thrown: unknown): string => {
    const error = createNetworkError(thrown, address);
    if (error.code !== 'CONTROL_PLANE_UNREACHABLE') return error.message;
    return (
      describeConnectionError(thrown, { url: address, trustStep: trustSteps.client }) ?? String(error.values.problem)
    );
  };
  return { remote: createRemoteRegistry({ url: address, fetch, describeError: explain }), close };
}

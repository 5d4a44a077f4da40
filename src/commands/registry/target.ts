/** The registry that a command's flags name, the key that signs for it, and the name servers that are asked. */
import { join, resolve } from 'node:path';
import { networkProblem } from '../../client/network-problem.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { guardedFetch } from '../../outbound/guarded-fetch.ts';
import { isLoopback } from '../../outbound/outward-fetch.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { type RemoteRegistry, remoteRegistry } from '../../registry/remote.ts';
import { readSigningKey, type SigningKey } from '../../registry/signing-key.ts';
import { type TextRecords, textRecords } from '../../registry/text-records.ts';
import type { Flags, FlagValues } from '../command.ts';
import { controlPlaneFlags } from '../control-plane-flags.ts';
import { resolversOf } from '../registry-flags.ts';

/** Of commands that sign. */
export const keyFlags = {
  registry: {
    type: 'string',
    placeholder: '<url>',
    describe: 'address of the registry; your own control plane unless given',
    variable: 'VP_REGISTRY',
  },
  key: {
    type: 'string',
    placeholder: '<file>',
    describe: 'file of the signing key; one for each registry in the config folder unless given',
    variable: 'VP_REGISTRY_KEY',
  },
} as const satisfies Flags;

/** Of commands that look TXT records up. */
export const resolverFlags = {
  resolver: {
    type: 'strings',
    placeholder: '<address>',
    describe: 'name server to ask, as 192.0.2.1 or 192.0.2.1:53; the system’s unless given',
  },
} as const satisfies Flags;

/** Of commands that call a registry. */
export const callFlags = { ca: controlPlaneFlags.ca, 'allow-insecure': controlPlaneFlags['allow-insecure'] } as const;

const answerLimitBytes = 2_000_000;

/** The address without a slash, and without the version of the API, at its end. Throws FLAG_INVALID. */
export function registryAddress(
  named: string | undefined,
  { variables }: Pick<Environment, 'variables'>,
  command: string,
): string {
  const text =
    named ?? variables[controlPlaneFlags['control-plane'].variable] ?? controlPlaneFlags['control-plane'].default;
  const url = URL.parse(text);
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (isPlain) return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v0(\.1)?$/, '');
  throw vpError('FLAG_INVALID', { command, flag: '--registry', problem: `is no http or https address: ${text}` });
}

/** Where the key of a registry is kept: `<config>/registry/<host>_<port>.pem`. */
export function keyFileFor(
  named: string | undefined,
  address: string,
  { paths, cwd }: Pick<Environment, 'paths' | 'cwd'>,
): string {
  if (named !== undefined) return resolve(cwd, named);
  const { hostname, port, protocol } = new URL(address);
  const shownPort = port || (protocol === 'https:' ? '443' : '80');
  return join(paths.config, 'registry', `${hostname.replaceAll(/[^a-z0-9.-]/gi, '-')}_${shownPort}.pem`);
}

/** The key. Throws REGISTRY_KEY_MISSING and what {@link readSigningKey} throws. */
export function keyFor(flags: FlagValues<typeof keyFlags>, address: string, environment: Environment): SigningKey {
  const file = keyFileFor(flags.key, address, environment);
  const key = readSigningKey(file, new URL(address).origin);
  if (key) return key;
  throw vpError('REGISTRY_KEY_MISSING', { registry: address, file });
}

/** Name servers as the flags say. Throws FLAG_INVALID. */
export function recordsFor(flags: FlagValues<typeof resolverFlags>, command: string): TextRecords {
  return textRecords(resolversOf(flags.resolver, command, '--resolver'));
}

/** Calls to the registry; `close` ends its connections. Throws CREDENTIAL_IN_CLEAR, EXECUTOR_CA_UNREADABLE. */
export function openRemote(
  flags: FlagValues<typeof callFlags>,
  address: string,
  { variables, cwd }: Pick<Environment, 'variables' | 'cwd'>,
): { remote: RemoteRegistry; close(): Promise<void> } {
  if (address.startsWith('http:') && !isLoopback(address) && !flags['allow-insecure'])
    throw vpError('CREDENTIAL_IN_CLEAR', { url: address });
  const extraRoots = flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca));
  // Whoever types the address may mean a server of their own network.
  const { fetch, close } = guardedFetch({ allowPrivate: true, extraRoots, variables, answerLimitBytes });
  const explain = (thrown: unknown): string => {
    const error = networkProblem(thrown, address);
    return error.code === 'CONTROL_PLANE_UNREACHABLE' ? String(error.values.problem) : error.message;
  };
  return { remote: remoteRegistry({ url: address, fetch, explain }), close };
}

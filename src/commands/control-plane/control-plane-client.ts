/** Clients for the control plane that a command's flags name. */
import { resolve } from 'node:path';
import { type Client, createClient } from '../../client/client.ts';
import type { FlagValues } from '../../command-line/command.ts';
import type { Instance } from '../../contract/api.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  createOutboundCalls,
  createOutboundFetch,
  isLoopback,
  type OutboundFetch,
  parseSocketPath,
} from '../../outbound/outbound-fetch.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { getToken, readStoredCredential } from './credentials.ts';

export type ControlPlaneFlagValues = FlagValues<typeof controlPlaneFlags>;

/**
 * A client with this user's credential, or with `executorKey` for an executor. Sends nothing yet. Throws FLAG_INVALID,
 * CREDENTIAL_*, EXECUTOR_CA_UNREADABLE.
 */
export async function openClient(
  flags: ControlPlaneFlagValues,
  environment: Environment,
  executorKey?: string,
): Promise<Client> {
  const { clock } = environment;
  const { url, fetch } = await resolveControlPlane(
    flags,
    environment,
    executorKey === undefined ? createOutboundFetch : createOutboundCalls,
  );
  const pause = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    clock.sleep(delayMs, signal).catch(() => undefined);
  const token = executorKey ?? (await getUserToken(environment, url, fetch));
  return createClient({ baseUrl: url, token, fetch, pause });
}

/** The URL of the control plane and a `fetch` for it, without a credential. Throws FLAG_INVALID, CREDENTIAL_IN_CLEAR, EXECUTOR_CA_UNREADABLE. */
export async function resolveControlPlane(
  flags: ControlPlaneFlagValues,
  { variables, cwd }: Pick<Environment, 'variables' | 'cwd'>,
  createFetch: typeof createOutboundFetch = createOutboundFetch,
): Promise<{ url: string; fetch: OutboundFetch }> {
  const url = parseAddress(flags['control-plane']);
  if (url.startsWith('http:') && !isLoopback(url) && !flags['allow-insecure'])
    throw vpError('CREDENTIAL_IN_CLEAR', { url });
  const extraRoots = flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca));
  return { url, fetch: await createFetch({ url, extraRoots, variables }) };
}

/** This user's credential. The access token of a sign-in is renewed before it expires. */
async function getUserToken(environment: Environment, url: string, fetch: OutboundFetch) {
  const token = getToken(environment, url);
  const isFixed =
    environment.variables.VP_TOKEN || readStoredCredential(environment.paths, url)?.refresh_token === undefined;
  if (isFixed) return token;
  const { createTokenProvider: renewing } = await import('./token-renewal.ts');
  return renewing(environment, url, fetch);
}

/** The URL without a trailing slash, or `unix:<path>` for a socket. */
function parseAddress(text: string): string {
  const socketPath = parseSocketPath(text);
  if (socketPath !== undefined) return `unix:${socketPath}`;
  const url = URL.parse(text);
  const problem = findAddressProblem(url);
  if (url && problem === undefined) return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  throw vpError('FLAG_INVALID', { command: 'vp', flag: '--control-plane', problem: `${problem}: ${text}` });
}

function findAddressProblem(url: URL | null): string | undefined {
  if (!url || !/^https?:$/.test(url.protocol)) return 'is not an http or https URL, nor unix:/<socket path>';
  return url.username || url.password || url.search || url.hash
    ? 'must not have a user name, password, query or fragment'
    : undefined;
}

/** The named instance, or the only registered one. Throws INSTANCE_UNKNOWN, INSTANCE_NONE, INSTANCE_AMBIGUOUS. */
export async function selectInstance(
  { instances, transport }: Client,
  named: string | undefined,
  signal?: AbortSignal,
): Promise<Instance> {
  if (named !== undefined) return instances.get(named, { signal });
  const all = await instances.list({ signal });
  const [first, second] = all;
  const url = transport.baseUrl;
  if (!first) throw vpError('INSTANCE_NONE', { url });
  if (!second) return first;
  const known = all.map(({ instance_id }) => instance_id).join(', ');
  throw vpError('INSTANCE_AMBIGUOUS', { count: all.length, url, known });
}

/** The flag that names this control plane in a suggested command; empty for the default one. */
export function formatControlPlaneFlag({ transport }: Client): string {
  return transport.baseUrl === controlPlaneFlags['control-plane'].default
    ? ''
    : ` --control-plane ${transport.baseUrl}`;
}

/** Clients for the control plane that a command's flags name. */

import { resolve } from 'node:path';
import { completeAddress, isOtherHost } from '../../addresses/written-address.ts';
import { type Client, createClient } from '../../client/client.ts';
import { createNetworkError } from '../../client/transport/network-error.ts';
import type { FlagValues } from '../../command-line/command.ts';
import type { Instance } from '../../contract/api.ts';
import type { Environment } from '../../environment/environment.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import {
  createBufferedOutboundFetch,
  createOutboundFetch,
  isLoopback,
  type OutboundFetch,
  parseSocketPath,
} from '../../outbound/outbound-fetch.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';
import type { controlPlaneFlags } from './control-plane-flags.ts';
import { getControlPlaneToken, readStoredCredential } from './credentials.ts';
import { readCurrentValues } from './current-values.ts';

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
    executorKey === undefined ? createOutboundFetch : createBufferedOutboundFetch,
  );
  const pause = (delayMs: number, signal?: AbortSignal): Promise<void> => pauseUntilAborted(clock, delayMs, signal);
  const token = executorKey ?? (await getUserToken(environment, url, fetch));
  const client = createClient({ baseUrl: url, token, fetch, pause });
  const flag = await findSuggestedFlag(client.transport.baseUrl, environment).catch(() => undefined);
  if (flag !== undefined) suggestedFlags.set(client, flag);
  return client;
}

/** The URL of the control plane and a `fetch` for it, without a credential. Throws FLAG_INVALID, CREDENTIAL_IN_CLEAR, EXECUTOR_CA_UNREADABLE. */
export async function resolveControlPlane(
  flags: ControlPlaneFlagValues,
  { variables, cwd }: Pick<Environment, 'variables' | 'cwd'>,
  createFetch: typeof createOutboundFetch = createOutboundFetch,
): Promise<{ url: string; fetch: OutboundFetch }> {
  const url = parseControlPlaneUrl(flags['control-plane']);
  if (url.startsWith('http:') && !isLoopback(url) && !flags['allow-insecure'])
    throw vpError('CREDENTIAL_IN_CLEAR', { url });
  const extraRoots = flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca));
  return { url, fetch: await createFetch({ url, extraRoots, variables }) };
}

/** This user's credential. The access token of a sign-in is renewed before it expires. */
async function getUserToken(environment: Environment, url: string, fetch: OutboundFetch) {
  const token = await getTokenOrReachability(environment, url, fetch);
  const isFixed =
    environment.variables.VP_TOKEN || readStoredCredential(environment.paths, url)?.refresh_token === undefined;
  if (isFixed) return token;
  const { createTokenProvider: renewing } = await import('./token-renewal.ts');
  return renewing(environment, url, fetch);
}

const probeTimeoutMs = 3_000;

/** Throws CONTROL_PLANE_UNREACHABLE before CREDENTIAL_ABSENT: where nothing listens, a credential would not help. */
async function getTokenOrReachability(environment: Environment, url: string, fetch: OutboundFetch): Promise<string> {
  try {
    return getControlPlaneToken(environment, url);
  } catch (error) {
    if (!(error instanceof VpError) || error.code !== 'CREDENTIAL_ABSENT') throw error;
    const signal = AbortSignal.timeout(probeTimeoutMs);
    await fetch(`${url}/healthz`, { method: 'GET', headers: {}, signal, redirect: 'manual' }).catch(
      (thrown: unknown) => {
        throw createNetworkError(thrown, url);
      },
    );
    throw error;
  }
}

/**
 * The URL without a trailing slash, or `unix:<path>` for a socket. On this machine a port, or a host and a port, is enough; elsewhere
 * whether TLS is used must be said. Throws FLAG_INVALID.
 */
export function parseControlPlaneUrl(text: string, command = 'vp', flag = '--control-plane'): string {
  const socketPath = parseSocketPath(text);
  if (socketPath !== undefined) return `unix:${socketPath}`;
  const url = URL.parse(completeAddress(text));
  const problem = findAddressProblem(url, text.trim());
  if (url && problem === undefined) return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  throw vpError('FLAG_INVALID', { command, flag, problem: `${problem} ${text}` });
}

function findAddressProblem(url: URL | null, text: string): string | undefined {
  if (isOtherHost(text))
    return `has no scheme: write https://${text}, or http://${text} where it has no TLS, in place of`;
  if (!url || !/^https?:$/.test(url.protocol)) return 'is not an http or https URL, nor unix:/<socket path>:';
  return url.username || url.password || url.search || url.hash
    ? 'must not have a user name, password, query or fragment:'
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

/** Found out when a client is opened, so that texts can be composed without waiting. */
const suggestedFlags = new WeakMap<Client, string>();

/** A variable does not count: it may be set for one command only. */
async function findSuggestedFlag(url: string, environment: Environment): Promise<string> {
  const { controlPlane } = await readCurrentValues({ ...environment, variables: {} });
  return controlPlane.value === url ? '' : ` --control-plane ${url}`;
}

/** The flag that a suggested command needs to go to the same control plane; empty where it goes there by itself. */
export function formatControlPlaneFlag(client: Client): string {
  return suggestedFlags.get(client) ?? ` --control-plane ${client.transport.baseUrl}`;
}

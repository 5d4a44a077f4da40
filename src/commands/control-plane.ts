/** The control plane that a command's flags name, ready to be called. */
import { resolve } from 'node:path';
import { type Client, createClient } from '../client/client.ts';
import type { Instance } from '../contract/api.ts';
import type { Environment } from '../environment/environment.ts';
import { vpError } from '../errors/vp-error.ts';
import { isLoopback, type OutwardFetch, outwardCalls, outwardFetch, socketPathOf } from '../outbound/outward-fetch.ts';
import { readCertificates } from '../outbound/tls-roots.ts';
import type { FlagValues } from './command.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { keptCredential, tokenFor } from './credentials.ts';

/** The values of {@link controlPlaneFlags}. */
export type ControlPlaneValues = FlagValues<typeof controlPlaneFlags>;

/**
 * A client with this user's own credential, or for an executor with its key. Throws FLAG_INVALID, CREDENTIAL_*, EXECUTOR_CA_UNREADABLE;
 * nothing has been called yet.
 */
export async function connect(
  flags: ControlPlaneValues,
  environment: Environment,
  executorKey?: string,
): Promise<Client> {
  const { clock } = environment;
  const { url, fetch } = await wayTo(flags, environment, executorKey === undefined ? outwardFetch : outwardCalls);
  const pause = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    clock.sleep(delayMs, signal).catch(() => undefined);
  const token = executorKey ?? (await ownToken(environment, url, fetch));
  return createClient({ baseUrl: url, token, fetch, pause });
}

/** The way to a control plane, before anybody has said who they are. Throws FLAG_INVALID, CREDENTIAL_IN_CLEAR, EXECUTOR_CA_UNREADABLE. */
export async function wayTo(
  flags: ControlPlaneValues,
  { variables, cwd }: Pick<Environment, 'variables' | 'cwd'>,
  outward: typeof outwardFetch = outwardFetch,
): Promise<{ url: string; fetch: OutwardFetch }> {
  const url = addressOf(flags['control-plane']);
  if (url.startsWith('http:') && !isLoopback(url) && !flags['allow-insecure'])
    throw vpError('CREDENTIAL_IN_CLEAR', { url });
  const extraRoots = flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca));
  return { url, fetch: await outward({ url, extraRoots, variables }) };
}

/** This user's own credential; one that was signed in for is renewed whenever it is about to end. */
async function ownToken(environment: Environment, url: string, fetch: OutwardFetch) {
  const token = tokenFor(environment, url);
  const isFixed = environment.variables.VP_TOKEN || keptCredential(environment.paths, url)?.refresh_token === undefined;
  if (isFixed) return token;
  const { renewing } = await import('./login/renewal.ts');
  return renewing(environment, url, fetch);
}

/** The address without a slash at its end; one of a socket is `unix:<path>`. */
function addressOf(text: string): string {
  const socketPath = socketPathOf(text);
  if (socketPath !== undefined) return `unix:${socketPath}`;
  const url = URL.parse(text);
  const problem = addressProblem(url);
  if (url && problem === undefined) return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  throw vpError('FLAG_INVALID', { command: 'vp', flag: '--control-plane', problem: `${problem}: ${text}` });
}

function addressProblem(url: URL | null): string | undefined {
  if (!url || !/^https?:$/.test(url.protocol)) return 'is no http or https address, nor unix:/<path of a socket>';
  return url.username || url.password || url.search || url.hash ? 'has more in it than an address' : undefined;
}

/** The instance that is named, or the only one there is. Throws INSTANCE_UNKNOWN, INSTANCE_NONE, INSTANCE_AMBIGUOUS. */
export async function chosenInstance(
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

/** How to name this control plane on another line; nothing where it is the default one. */
export function lineFlag({ transport }: Client): string {
  return transport.baseUrl === controlPlaneFlags['control-plane'].default
    ? ''
    : ` --control-plane ${transport.baseUrl}`;
}

/** `--health` of roles, for the health checks of containers. */
import { createNetworkError } from '../../client/transport/network-error.ts';
import type { Flag } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { createOutboundFetch } from '../../outbound/outbound-fetch.ts';
import { formatHostAndPort } from './exposure.ts';

export const healthFlag = {
  type: 'boolean',
  default: false,
  describe: 'only check the health of a running one',
} as const satisfies Flag;

const timeoutMs = 3_000;

/** The URL on this machine of a role that listens on `host` and `port`. */
export function buildLocalUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const localHost = /^(0\.0\.0\.0|::|\[::\])$/.test(host) ? '127.0.0.1' : host;
  return `http://${formatHostAndPort(localHost, port)}`;
}

/** `address` is a URL or `unix:<path>`. Rejects with ROLE_UNWELL. */
export async function assertHealthy(role: string, address: string): Promise<void> {
  const call = await createOutboundFetch({ url: address, extraRoots: [], variables: {} });
  const signal = AbortSignal.timeout(timeoutMs);
  const { status } = await call(`${address}/healthz`, { method: 'GET', headers: {}, signal, redirect: 'manual' }).catch(
    (error: unknown) => {
      const timeoutNote = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : undefined;
      const problem = timeoutNote ?? String(createNetworkError(error, address).values.problem);
      throw vpError('ROLE_UNWELL', { role, address, problem }, { cause: error });
    },
  );
  // A log reader has no such route and answers 404.
  if (status !== 200 && status !== 404)
    throw vpError('ROLE_UNWELL', { role, address, problem: `it responds with status ${status}` });
}

/** `--health` of a role: says that it answers. Rejects with ROLE_UNWELL. */
export async function checkHealth(
  role: string,
  address: string,
  { environment, json }: { readonly environment: Pick<Environment, 'streams'>; readonly json: boolean },
): Promise<ExitCode> {
  await assertHealthy(role, address);
  environment.streams.stdout.write(json ? '{"healthy":true}\n' : `the ${role} at ${address} answers\n`);
  return exitCode.done;
}

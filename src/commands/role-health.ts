/** `--health` of roles: asks the one that runs whether it answers. For the health checks of containers. */
import { networkProblem } from '../client/network-problem.ts';
import type { Environment } from '../environment/environment.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { outwardFetch } from '../outbound/outward-fetch.ts';
import type { Flag } from './command.ts';
import { hostAndPort } from './exposure.ts';

/** The flag. */
export const healthFlag = {
  type: 'boolean',
  default: false,
  describe: 'only ask a running one whether it answers',
} as const satisfies Flag;

const limitMs = 3_000;

/** Where a role that listens on `host` and `port` is asked on its own machine. */
export function ownAddress({ host, port }: { readonly host: string; readonly port: number }): string {
  const own = /^(0\.0\.0\.0|::|\[::\])$/.test(host) ? '127.0.0.1' : host;
  return `http://${hostAndPort(own, port)}`;
}

/** Asks `address`: http, or `unix:<path>`. Throws ROLE_UNWELL. */
export async function tellHealth(
  role: string,
  address: string,
  { environment, json }: { readonly environment: Pick<Environment, 'streams'>; readonly json: boolean },
): Promise<ExitCode> {
  const call = await outwardFetch({ url: address, extraRoots: [], variables: {} });
  const signal = AbortSignal.timeout(limitMs);
  const { status } = await call(`${address}/healthz`, { method: 'GET', headers: {}, signal, redirect: 'manual' }).catch(
    (error: unknown) => {
      const late = signal.aborted ? `no answer within ${limitMs / 1000} s` : undefined;
      const problem = late ?? String(networkProblem(error, address).values.problem);
      throw vpError('ROLE_UNWELL', { role, address, problem }, { cause: error });
    },
  );
  // A log reader has no route of that name, and says so.
  if (status !== 200 && status !== 404)
    throw vpError('ROLE_UNWELL', { role, address, problem: `it answers ${status}` });
  environment.streams.stdout.write(json ? '{"healthy":true}\n' : `the ${role} at ${address} answers\n`);
  return exitCode.done;
}

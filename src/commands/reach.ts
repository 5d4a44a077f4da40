/** `vp reach`: whether a control plane answers at an address; onboarding asks it from inside a container's network. */

import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { networkProblem } from '../client/network-problem.ts';
import type { Environment } from '../environment/environment.ts';
import { exitCode } from '../errors/exit-code.ts';
import { type OutwardAnswer, outwardFetch, socketPathOf } from '../outbound/outward-fetch.ts';
import { readCertificates } from '../outbound/tls-roots.ts';
import { command } from './command.ts';

const flags = {
  ca: {
    type: 'string',
    placeholder: '<file.pem>',
    describe: 'certificates to trust besides the usual ones; - reads them from standard input',
  },
} as const;

const limitMs = 10_000;

/** What is printed. */
type Reach = { readonly reachable: boolean; readonly version?: string; readonly reason?: string };

async function rootsOf(ca: string | undefined, { cwd, streams }: Environment): Promise<string[]> {
  if (ca === undefined) return [];
  return ca === '-' ? [await text(streams.stdin)] : readCertificates(resolve(cwd, ca));
}

async function reach(address: string, ca: string | undefined, environment: Environment): Promise<Reach> {
  if (socketPathOf(address) === undefined && !/^https?:\/\/[^/]/.test(address))
    return { reachable: false, reason: 'it is no http or https address, nor unix:/<path of a socket>' };
  const url = address.replace(/\/+$/, '');
  const { variables } = environment;
  try {
    const call = await outwardFetch({ url, extraRoots: await rootsOf(ca, environment), variables });
    const signal = AbortSignal.timeout(limitMs);
    return await toldBy(await call(`${url}/healthz`, { method: 'GET', headers: {}, signal, redirect: 'manual' }));
  } catch (error) {
    if (error instanceof DOMException) return { reachable: false, reason: `no answer within ${limitMs / 1000} s` };
    return { reachable: false, reason: String(networkProblem(error, url).values.problem) };
  }
}

/** A control plane says `{"status":"ok"}`, perhaps with its version. */
async function toldBy(answer: OutwardAnswer): Promise<Reach> {
  const said = parsed(await answer.text());
  if (answer.status !== 200 || !isHealth(said))
    return { reachable: false, reason: `something answers with status ${answer.status} that is no control plane` };
  return { reachable: true, ...(typeof said.version === 'string' ? { version: said.version } : {}) };
}

function isHealth(said: unknown): said is { status: 'ok'; version?: unknown } {
  return typeof said === 'object' && said !== null && 'status' in said && said.status === 'ok';
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The command. */
export const reachCommand = command({
  name: 'reach',
  summary: 'for onboarding: say whether a control plane answers at an address',
  positionals: [{ name: 'address', describe: 'http://…, https://… or unix:/<path of a socket>', required: true }],
  flags,
  examples: [['vp reach unix:/run/vp-control/control.sock', '{"reachable":true,"version":"0.4.0"}']],
  notes: 'For `vp onboard`, which runs it in a container. Prints one line of JSON; ends with 0 or 4.',
  async run({ words: [address = ''], flags, environment }) {
    const told = await reach(address, flags.ca, environment);
    environment.streams.stdout.write(`${JSON.stringify(told)}\n`);
    return told.reachable ? exitCode.done : exitCode.broken;
  },
});

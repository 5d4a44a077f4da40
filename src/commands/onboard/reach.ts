/** `vp reach`: whether a control plane is reachable; onboarding runs it inside a container's network. */

import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { completeAddress } from '../../addresses/written-address.ts';
import { createNetworkError } from '../../client/transport/network-error.ts';
import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { describeConnectionError, trustSteps } from '../../errors/connection-problems.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { isObject } from '../../json/json-object.ts';
import { createOutboundFetch, type OutboundResponse, parseSocketPath } from '../../outbound/outbound-fetch.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { certificatesFlag } from '../role-flags.ts';

const flags = {
  ca: { ...certificatesFlag, describe: 'additional trusted CA certificates; - reads them from standard input' },
} as const;

const timeoutMs = 10_000;

type ReachResult = { readonly reachable: boolean; readonly version?: string; readonly reason?: string };

async function readRoots(ca: string | undefined, { cwd, streams }: Environment): Promise<string[]> {
  if (ca === undefined) return [];
  return ca === '-' ? [await text(streams.stdin)] : readCertificates(resolve(cwd, ca));
}

async function checkReachable(written: string, ca: string | undefined, environment: Environment): Promise<ReachResult> {
  const address = completeAddress(written);
  if (parseSocketPath(address) === undefined && !/^https?:\/\/[^/]/.test(address))
    return { reachable: false, reason: 'it is not an http or https URL, nor unix:/<socket path>' };
  const url = address.replace(/\/+$/, '');
  const { variables } = environment;
  try {
    const call = await createOutboundFetch({ url, extraRoots: await readRoots(ca, environment), variables });
    const signal = AbortSignal.timeout(timeoutMs);
    return await parseHealth(await call(`${url}/healthz`, { method: 'GET', headers: {}, signal, redirect: 'manual' }));
  } catch (error) {
    if (error instanceof DOMException) return { reachable: false, reason: `no answer within ${timeoutMs / 1000} s` };
    const reason = describeConnectionError(error, { url, trustStep: trustSteps.client });
    return { reachable: false, reason: reason ?? String(createNetworkError(error, url).values.problem) };
  }
}

/** A control plane answers `{"status":"ok"}`, and may add its version. */
async function parseHealth(response: OutboundResponse): Promise<ReachResult> {
  const body = parseJson(await response.text());
  if (response.status !== 200 || !isHealth(body))
    return { reachable: false, reason: `the server there is not a control plane (status ${response.status})` };
  return { reachable: true, ...(typeof body.version === 'string' ? { version: body.version } : {}) };
}

function isHealth(body: unknown): body is { status: 'ok'; version?: unknown } {
  return isObject(body) && 'status' in body && body.status === 'ok';
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export const reachCommand = command({
  name: 'reach',
  summary: 'for onboarding: check whether a control plane is reachable',
  positionals: [{ name: 'address', describe: 'http://…, https://… or unix:/<socket path>', required: true }],
  flags,
  examples: [['vp reach unix:/run/vp-control/control.sock', '{"reachable":true,"version":"0.4.0"}']],
  notes: 'For `vp onboard`, which runs it in a container. Prints one line of JSON; exits with 0 or 4.',
  async run({ args: [address = ''], flags, environment }) {
    const result = await checkReachable(address, flags.ca, environment);
    environment.streams.stdout.write(`${JSON.stringify(result)}\n`);
    return result.reachable ? exitCode.done : exitCode.broken;
  },
});

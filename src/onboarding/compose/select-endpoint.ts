/** Probes from the target's network which endpoint of the control plane answers. */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { ContainerEngine } from '../../containers/engine.ts';
import { runOneOffContainer } from '../../containers/one-off-container.ts';
import type { ProcessResult } from '../../process/run-process.ts';
import type { ControlPlaneEndpoint, EndpointSearchResult } from '../platform/platform.ts';
import { controlSocketFolder, toContainerAddress } from './control-plane-address.ts';

/** The first candidate that answers is selected. */
export type EndpointProbeOptions = {
  readonly image: string;
  /** The target's network. */
  readonly network: string;
  readonly candidates: readonly ControlPlaneEndpoint[];
  readonly signal?: AbortSignal | undefined;
};

const probeTimeoutMs = 30_000;

/** Output of `vp reach`. */
const ReachResult = Type.Object({
  reachable: Type.Boolean(),
  version: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
});

/** Tries one endpoint after the other. Throws ENGINE_*. */
export async function selectEndpoint(
  engine: ContainerEngine,
  options: EndpointProbeOptions,
): Promise<EndpointSearchResult> {
  const rejected: EndpointSearchResult['rejected'][number][] = [];
  for (const endpoint of options.candidates) {
    const { reachable, version, reason = 'nothing answers' } = await probeEndpoint(engine, options, endpoint);
    if (reachable) return { endpoint, version, rejected };
    rejected.push({ endpoint, reason });
  }
  return { endpoint: undefined, version: undefined, rejected };
}

async function probeEndpoint(
  engine: ContainerEngine,
  options: EndpointProbeOptions,
  endpoint: ControlPlaneEndpoint,
): Promise<Static<typeof ReachResult>> {
  const { image, network, signal } = options;
  const isSocket = endpoint.kind === 'socket';
  const ca = isSocket ? undefined : endpoint.ca;
  const result = await runOneOffContainer(engine, {
    image,
    network,
    args: ['reach', toContainerAddress(endpoint), ...(ca === undefined ? [] : ['--ca', '-'])],
    ...(ca === undefined ? {} : { input: ca }),
    hosts: isSocket ? [] : (endpoint.hosts ?? []),
    mounts: isSocket ? [`${endpoint.folder}:${controlSocketFolder}`] : [],
    selinuxOff: isSocket && engine.info.selinux,
    timeoutMs: probeTimeoutMs,
    signal,
  });
  return parseReachResult(result) ?? { reachable: false, reason: lastErrorLine(result) };
}

function parseReachResult({ stdout }: ProcessResult): Static<typeof ReachResult> | undefined {
  try {
    const value: unknown = JSON.parse(stdout);
    return Value.Check(ReachResult, value) ? value : undefined;
  } catch {
    return undefined; // The container did not start; the reason is on standard error.
  }
}

function lastErrorLine({ kind, stderr }: ProcessResult): string {
  const lines = stderr.trim().split('\n');
  // The last line only points to the engine's help.
  const lastLines = lines.filter((line) => line !== '' && !/--help/.test(line)).at(-1);
  return lastLines?.slice(0, 300) ?? kind.replaceAll('_', ' ');
}

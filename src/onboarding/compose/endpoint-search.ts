/** Which endpoints of the control plane are worth trying from a container, best first, and which of them answers. */
import { isLoopbackHost } from '../../addresses/host-address.ts';
import type { ContainerEngine } from '../../containers/engine.ts';
import { removeOldOneOffContainers } from '../../containers/one-off-container.ts';
import {
  type ControlPlaneEndpoint,
  describeEndpoint,
  type EndpointSearch,
  type EndpointSearchResult,
  type PlatformCallOptions,
} from '../platform/platform.ts';
import type { ComposeContext } from './compose-context.ts';
import { selectEndpoint } from './select-endpoint.ts';

export async function findEndpoint(
  context: ComposeContext,
  search: EndpointSearch,
  { signal, report }: PlatformCallOptions,
): Promise<EndpointSearchResult> {
  const engine = await context.engine();
  await removeOldOneOffContainers(engine);
  const candidates = await listCandidates(context, engine, search);
  report(`trying ${candidates.map(describeEndpoint).join(', ')}`);
  return selectEndpoint(engine, { image: search.image, network: search.network, candidates, signal });
}

/**
 * A control plane elsewhere is called by its own address. One on this machine's loopback address cannot be reached from a container:
 * on Linux its socket is mounted, and a desktop engine has a name for the host.
 */
async function listCandidates(
  { environment: { platform } }: ComposeContext,
  { info: { program } }: ContainerEngine,
  { controlPlane, ca, fetchSocketFolder }: EndpointSearch,
): Promise<readonly ControlPlaneEndpoint[]> {
  const url = new URL(controlPlane);
  const certificates = ca === undefined ? {} : { ca };
  if (!isLoopbackHost(url.hostname)) return [{ kind: 'url', url: controlPlane, ...certificates }];
  const folder = platform === 'linux' ? await fetchSocketFolder() : undefined;
  const hostName = program === 'podman' ? 'host.containers.internal' : 'host.docker.internal';
  // Elsewhere than on Linux docker resolves the name by itself.
  const hosts = platform === 'linux' && program === 'docker' ? { hosts: [`${hostName}:host-gateway`] } : {};
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return [
    ...(folder === undefined ? [] : [{ kind: 'socket', folder } as const]),
    { kind: 'url', url: `${url.protocol}//${hostName}:${port}`, ...certificates, ...hosts },
  ];
}

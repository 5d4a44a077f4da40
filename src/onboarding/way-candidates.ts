/** The ways that are worth trying from a container to the control plane, best first. */
import { known, type OnboardingContext } from './context.ts';
import { controlSocketFolder } from './executor-ways.ts';
import type { ControlPlaneWay } from './stacks/way.ts';

const loopback = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/**
 * A control plane elsewhere is called as it is named. One on this machine's loopback address is not reached from a container:
 * there its socket leads to it (Linux), or the engine's name for the host (a desktop engine).
 */
export async function wayCandidates(context: OnboardingContext): Promise<readonly ControlPlaneWay[]> {
  const { asked, ports } = context;
  const url = new URL(asked.controlPlane);
  const ca = asked.ca === undefined ? {} : { ca: asked.ca };
  if (!loopback.has(url.hostname)) return [{ kind: 'url', url: asked.controlPlane, ...ca }];
  const folder = ports.environment.platform === 'linux' ? await controlSocketFolder(context) : undefined;
  const { program } = known(context, 'engine').facts;
  const name = program === 'podman' ? 'host.containers.internal' : 'host.docker.internal';
  // Elsewhere than on Linux the engine knows its host by that name.
  const hosts =
    ports.environment.platform === 'linux' && program === 'docker' ? { hosts: [`${name}:host-gateway`] } : {};
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return [
    ...(folder === undefined ? [] : [{ kind: 'socket', folder } as const]),
    { kind: 'url', url: `${url.protocol}//${name}:${port}`, ...ca, ...hosts },
  ];
}

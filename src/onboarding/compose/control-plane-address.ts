/** How a container addresses the control plane. */
import type { ControlPlaneEndpoint } from '../platform/platform.ts';

/** Where the folder of the control plane's socket is mounted. */
export const controlSocketFolder = '/run/vp-control';
/** Name of the socket in that folder. */
const controlSocketName = 'control.sock';

/** The value of `--control-plane` inside the container. */
export function toContainerAddress(endpoint: ControlPlaneEndpoint): string {
  return endpoint.kind === 'socket' ? `unix:${controlSocketFolder}/${controlSocketName}` : endpoint.url;
}

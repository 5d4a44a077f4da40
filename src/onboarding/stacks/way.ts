/** The way from a container to its control plane. */

/** `socket`: the folder of the control plane's executor socket on this machine, to be mounted. `url`: over the network. */
export type ControlPlaneWay =
  | { readonly kind: 'socket'; readonly folder: string }
  | {
      readonly kind: 'url';
      readonly url: string;
      /** PEM certificates to trust besides the usual ones; placed as `ca.pem` among the config files. */
      readonly ca?: string | undefined;
      /** Lines for the container's hosts file, `name:address`; for names of the host that the engine does not know by itself. */
      readonly hosts?: readonly string[];
    };

/** Where the folder of the control plane's socket is mounted, and the socket in it. */
export const controlFolder = '/run/vp-control';
/** Name of the socket in that folder. */
export const controlSocketName = 'control.sock';
/** Name of the file of certificates in the config volume. */
export const caFileName = 'ca.pem';

/** What `--control-plane` is called inside the container. */
export function addressInside(way: ControlPlaneWay): string {
  return way.kind === 'socket' ? `unix:${controlFolder}/${controlSocketName}` : way.url;
}

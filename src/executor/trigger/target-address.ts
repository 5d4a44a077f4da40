import type { BaseUrlSource } from '../../project/project-config.ts';

/** Texts in fixes that depend on where the target's address was configured. */
export type AddressHints = { readonly setting: string; readonly host: string; readonly port: string };

const flagHints = {
  host: 'outside containers it is localhost or another name that this machine can resolve, inside their network the compose service name',
  port: 'outside containers the published port, inside their network the one that the target itself listens on',
};

const hintsBySource: Readonly<Record<BaseUrlSource, AddressHints>> = {
  config: {
    setting: '`targets.http.base_url`',
    host: 'inside the container network, which the executor must be in, it is the compose service name; from this machine use --base-url with a published port',
    port: 'the port inside the container network, not the published one',
  },
  grpc: {
    setting: '`targets.grpc.base_url`',
    host: 'inside the container network, which the executor must be in, it is the compose service name; from this machine use --grpc-base-url with a published port',
    port: 'the port inside the container network, not the published one',
  },
  flag: { setting: '`--base-url`', ...flagHints },
  grpc_flag: { setting: '`--grpc-base-url`', ...flagHints },
};

export function getAddressHints(from: BaseUrlSource): AddressHints {
  return hintsBySource[from];
}

/** Host and port of an origin such as `https://app`, for messages: `app:443`. */
export function formatAddress(origin: string): string {
  const { host, port, protocol } = new URL(origin);
  return port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
}

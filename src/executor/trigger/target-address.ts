import type { BaseUrlSource } from '../../project/project-config.ts';

/** Texts in fixes that depend on where the target's address was configured. */
export type AddressHints = { readonly setting: string; readonly host: string; readonly port: string };

const port = 'outside containers the published port, inside their network the one that the target itself listens on';

const flagHints = {
  host: 'outside containers it is localhost or another name that this machine can resolve, inside their network the compose service name',
  port,
};

const hintsBySource: Readonly<Record<BaseUrlSource, AddressHints>> = {
  config: {
    setting: '`targets.http.base_url`',
    host: 'inside the container network, which the executor must be in, it is the compose service name; from this machine use --base-url with a published port',
    port,
  },
  grpc: {
    setting: '`targets.grpc.base_url`',
    host: 'inside the container network, which the executor must be in, it is the compose service name; from this machine use --grpc-base-url with a published port',
    port,
  },
  flag: { setting: '`--base-url`', ...flagHints },
  grpc_flag: { setting: '`--grpc-base-url`', ...flagHints },
};

export function getAddressHints(from: BaseUrlSource): AddressHints {
  return hintsBySource[from];
}

type TargetAddress = { readonly host: string; readonly address: string };

/** Those of the configured targets, which each run needs several times. */
const addresses = new Map<string, TargetAddress>();
const maxAddresses = 100;

function readAddress(origin: string): TargetAddress {
  const known = addresses.get(origin);
  if (known) return known;
  const { host: hostOfUrl, port, protocol } = new URL(origin);
  // A text of its own. That of a URL is a part of a longer one, with which V8 takes three times as long for the JSON of a report.
  const host = Buffer.from(hostOfUrl, 'latin1').toString('latin1');
  const address = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
  if (addresses.size >= maxAddresses) addresses.clear();
  addresses.set(origin, { host, address });
  return { host, address };
}

/** The Host header of requests to an origin: without the port that its scheme implies. */
export function formatHostHeader(origin: string): string {
  return readAddress(origin).host;
}

/** Host and port of an origin such as `https://app`, for messages: `app:443`. */
export function formatAddress(origin: string): string {
  return readAddress(origin).address;
}

/** Flags of `vp serve` for a control plane with several replicas. */
import type { FlagDefinitions } from '../../command-line/command.ts';
import { vpError } from '../../errors/vp-error.ts';
import { databaseFlags } from '../database-flags.ts';

export const replicaFlags = {
  ...databaseFlags,
  'drain-seconds': {
    type: 'number',
    placeholder: '<seconds>',
    describe: 'with --database: forward requests so long after SIGTERM',
    default: 5,
    integerRange: [0, 300],
    variable: 'VP_DRAIN_SECONDS',
    hidden: true,
  },
  'replica-address': {
    type: 'string',
    placeholder: '<url>',
    describe: 'URL for other replicas',
    variable: 'VP_REPLICA_ADDRESS',
  },
} as const satisfies FlagDefinitions;

const wildcardHosts = ['0.0.0.0', '::', '[::]'];

type AddressFlags = { readonly host: string; readonly 'replica-address': string | undefined };

/** Undefined for the address of the listener. Throws REPLICA_ADDRESS_INVALID. */
export function parseReplicaAddress({ host, 'replica-address': address }: AddressFlags): string | undefined {
  if (address === undefined) {
    const problem = `it listens on every address of this machine (${host})`;
    if (wildcardHosts.includes(host)) throw vpError('REPLICA_ADDRESS_INVALID', { problem });
    return undefined;
  }
  const url = URL.parse(address);
  const isUsable = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search + url.hash === '';
  if (!isUsable || url.username || url.password)
    throw vpError('REPLICA_ADDRESS_INVALID', {
      problem: `not an http or https URL of a host: ${url?.host ?? address}`,
    });
  return url.origin;
}

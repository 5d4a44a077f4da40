/** `vp serve --database`: one replica of a control plane on PostgreSQL. */
import type { ControlPlane, ControlPlaneOptions } from '../../assemble/control-plane/control-plane.ts';
import { type RunningReplica, startReplica } from '../../assemble/control-plane/replica.ts';
import type { Environment } from '../../environment/environment.ts';
import { version } from '../../environment/version.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { getSetupLinkPath } from '../../identity/accounts/setup-link.ts';
import { deliverLink, formatLink } from '../admin/deliver-link.ts';
import { writeCredential } from '../control-plane/credentials.ts';
import type { DatabaseConnections } from '../database-flags.ts';
import { formatHostAndPort } from '../roles/exposure.ts';
import { parseReplicaAddress } from './replica-flags.ts';

type ReplicaInvocation = {
  readonly flags: {
    readonly embedded: boolean;
    readonly host: string;
    readonly 'replica-address': string | undefined;
    readonly 'drain-seconds': number;
  };
  readonly environment: Environment;
  readonly json: boolean;
};

export type ReplicaServing = {
  readonly options: ControlPlaneOptions;
  readonly database: DatabaseConnections;
  /** Resolves when the process is to end. */
  readonly stop: Promise<unknown>;
};

/** Throws FLAG_INVALID, STORE_DATABASE_*, REPLICA_*, LISTEN_*. */
export async function serveReplica(invocation: ReplicaInvocation, serving: ReplicaServing): Promise<ExitCode> {
  const { flags, environment } = invocation;
  const { options, database, stop } = serving;
  if (flags.embedded) {
    const problem = 'runs in the process of one control plane, and excludes --database';
    throw vpError('FLAG_INVALID', { flag: '--embedded', problem, command: 'vp serve' });
  }
  const address = parseReplicaAddress(flags);
  const isAnnounced = Promise.withResolvers<void>();
  const replica = await startReplica(
    // The socket of a machine leads to one process; executors use the address of the load balancer.
    { ...options, executorSocket: false },
    {
      ...{ database, address, drainMs: flags['drain-seconds'] * 1000 },
      async onActive(plane) {
        // The lines of the start come first.
        await isAnnounced.promise;
        await announceActive(invocation, options, plane);
      },
    },
  );
  try {
    environment.streams.stdout.write(formatStart(invocation, serving, replica));
    isAnnounced.resolve();
    await Promise.race([stop, replica.failed]);
    options.log.info({}, 'stopping');
    return exitCode.done;
  } finally {
    await replica.stop();
  }
}

function formatStart(
  { flags, json }: ReplicaInvocation,
  { options, database }: ReplicaServing,
  { id, url, status }: RunningReplica,
): string {
  const address = flags['replica-address'] ?? url;
  const listensOn = formatHostAndPort(options.host, new URL(url).port);
  const publicUrl = options.publicUrl?.origin ?? null;
  const store = `${database.main.address}/${database.main.database}`;
  const { role, epoch = null, activeId = null } = status;
  if (json) {
    const fields = { version, url, listens_on: listensOn, public_url: publicUrl, data: options.folder, store };
    const own = { id, role, epoch, active: activeId, address };
    return `${JSON.stringify({ event: 'listening', ...fields, replica: own })}\n`;
  }
  const lines = [
    `vp ${version} control plane, replica ${id}`,
    `  address    ${publicUrl ?? url}`,
    ...(publicUrl === null ? [] : [`  this host  ${url}`]),
    `  listens    ${listensOn}`,
    `  replicas   reach this one at ${address}`,
    `  store      PostgreSQL ${store}`,
    `  role       ${role}${role === 'standby' && activeId !== null ? ` of ${activeId}` : ''}`,
    'next: start another replica with the same database and master key, then put a load balancer before them',
    'Press Ctrl-C to stop.',
  ];
  return `${lines.join('\n')}\n`;
}

/** Writes the credential for commands of this user, and the link that creates the first owner. */
async function announceActive(
  invocation: ReplicaInvocation,
  options: ControlPlaneOptions,
  plane: ControlPlane,
): Promise<void> {
  const { environment, json } = invocation;
  if (plane.ownerKey !== undefined) writeCredential(environment.paths, plane.url, plane.ownerKey);
  const setupUrl = await plane.setupLink();
  const link = setupUrl === undefined ? undefined : deliverLink(invocation, setupUrl, getSetupLinkPath(options.folder));
  const keyFile = link ? plane.ownerKeyFile : null;
  if (json) {
    const event = { event: 'active', url: plane.url, owner_key_file: keyFile, setup_link_file: link?.file ?? null };
    environment.streams.stdout.write(`${JSON.stringify(event)}\n`);
    return;
  }
  const lines = [
    'this replica is active',
    ...(link ? [`  owner key  ${keyFile} (used automatically by commands of this user until there is an owner)`] : []),
    ...(link ? [`  set up     ${formatLink(link)}`] : []),
  ];
  environment.streams.stdout.write(`${lines.join('\n')}\n`);
}

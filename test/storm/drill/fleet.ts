/** Replicas of a drill: each has links of its own to both databases and to the other replicas, and one goes through PgBouncer. */
import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlPlaneArgs, Role, type StormProcesses } from '../roles.ts';
import type { StormRecord } from '../storm-record.ts';
import { type DatabaseNode, type DatabasePair, databaseName, databaseUser } from './database-pair.ts';
import { type Link, startLink } from './link.ts';

export class DrillReplica {
  readonly role: Role;
  /** To both databases, in the order of the pair's nodes. */
  readonly databaseLinks: readonly Link[];
  /** From the other replicas. */
  readonly hopLink: Link;
  readonly isPooled: boolean;
  url = '';

  constructor(
    createRole: (replica: DrillReplica) => Role,
    links: { readonly databases: readonly Link[]; readonly hop: Link },
    isPooled: boolean,
  ) {
    this.databaseLinks = links.databases;
    this.hopLink = links.hop;
    this.isPooled = isPooled;
    this.role = createRole(this);
  }

  get links(): readonly Link[] {
    return [...this.databaseLinks, this.hopLink];
  }

  get databaseUrl(): string {
    const hosts = this.databaseLinks.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://${databaseUser}@${hosts}/${databaseName}`;
  }

  followNode(index: number, { server, bouncer }: DatabaseNode): void {
    this.databaseLinks[index]?.forwardTo(this.isPooled ? bouncer.port : server.port);
  }
}

export type FleetOptions = {
  readonly count: number;
  readonly record: StormRecord;
  readonly processes: StormProcesses;
  readonly pair: DatabasePair;
};

/** `variables` have the master key. */
export type Fleet = {
  readonly replicas: readonly DrillReplica[];
  /** From then on replicas start with the version under test, not with `VP_OLDER_BINARY`; undefined without one. */
  readonly upgrade: (() => void) | undefined;
  readonly variables: Readonly<Record<string, string>>;
};

export async function createFleet({ count, record, processes, pair }: FleetOptions): Promise<Fleet> {
  const variables = { VP_MASTER_KEY: randomBytes(32).toString('base64') };
  const replicas: DrillReplica[] = [];
  let older = copyOlderBinary(processes.folder);
  for (let index = 0; index < count; index += 1) {
    const databases = [await startLink(), await startLink()];
    const hop = await startLink();
    const name = `replica ${index + 1}`;
    const data = join(processes.folder, `replica-${index + 1}`);
    const createRole = (replica: DrillReplica): Role => {
      const address = ['--replica-address', `http://127.0.0.1:${hop.port}`, '--drain-seconds', '1'];
      const args = [...controlPlaneArgs(data), ...address, '--database', replica.databaseUrl];
      const start = () =>
        older === undefined ? processes.vp(args, variables) : processes.start(older, args, variables);
      return new Role(name, data, record, start, (url) => {
        replica.url = url;
        hop.forwardTo(Number(new URL(url).port));
      });
    };
    const replica = new DrillReplica(createRole, { databases, hop }, index === count - 1);
    for (const [node, databaseNode] of pair.nodes.entries()) replica.followNode(node, databaseNode);
    replicas.push(replica);
  }
  const leaveOlder = (): void => {
    older = undefined;
  };
  return { replicas, variables, upgrade: older === undefined ? undefined : leaveOlder };
}

/** The binary of an earlier version, if one is named; the original may be replaced by a build. */
function copyOlderBinary(folder: string): string | undefined {
  const { VP_OLDER_BINARY: given } = process.env;
  if (given === undefined) return undefined;
  const copy = join(folder, 'vp-older');
  copyFileSync(given, copy);
  return copy;
}

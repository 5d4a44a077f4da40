/** The faults of a drill. Replicas, databases, links and executors each have a loop of their own, so that faults come together. */
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Role } from '../roles.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { StormRecord } from '../storm-record.ts';
import type { DatabaseNode, DatabasePair } from './database-pair.ts';
import type { DrillReplica } from './fleet.ts';

export type DrillScene = {
  readonly record: StormRecord;
  readonly random: SeededRandom;
  readonly ending: AbortSignal;
  /** The mean time between two faults of one loop. */
  readonly paceMs: number;
  readonly pair: DatabasePair;
  readonly fleet: readonly DrillReplica[];
  /** From then on replicas start with the newer version; undefined where there is one. */
  readonly upgrade: (() => void) | undefined;
  readonly executors: readonly Role[];
  /** How often each fault happened. */
  readonly faults: Map<string, number>;
  readonly print: (text: string) => void;
};

/** Returns when what it broke is whole again. */
type Fault = { readonly name: string; readonly weight: number; run(scene: DrillScene): Promise<unknown> };

const upgradeName = 'rolling restarts';
/** Faults of replicas of the earlier version before all of them are upgraded. */
const faultsBeforeUpgrade = 2;

const replicaFaults: readonly Fault[] = [
  {
    name: 'replicas killed',
    weight: 5,
    async run({ random, fleet }) {
      const { role } = random.pick(fleet);
      await role.kill();
      if (random.chance(0.3)) await sleepFor(random.integer(0, 3000));
      await role.start();
    },
  },
  {
    name: 'replicas frozen',
    weight: 3,
    run: ({ random, fleet }) => random.pick(fleet).role.freeze(random.integer(200, 9000)),
  },
  {
    name: 'replicas restarted',
    weight: 2,
    run: ({ random, fleet }) => restart(random.pick(fleet).role),
  },
  {
    name: upgradeName,
    weight: 1,
    async run({ fleet, upgrade }) {
      upgrade?.();
      for (const { role } of fleet) await restart(role);
    },
  },
];

async function restart(role: Role): Promise<void> {
  await role.stop();
  await role.start();
}

function follow(fleet: readonly DrillReplica[]) {
  return (index: 0 | 1, node: DatabaseNode): void => {
    for (const replica of fleet) replica.followNode(index, node);
  };
}

const databaseFaults: readonly Fault[] = [
  { name: 'databases restarted', weight: 2, run: ({ pair }) => pair.restart('fast') },
  { name: 'databases crashed', weight: 2, run: ({ pair }) => pair.restart('immediate') },
  {
    name: 'standbys promoted',
    weight: 3,
    run: ({ pair, fleet }) => pair.failOver(follow(fleet)),
  },
  {
    // The first host of a URL may be the silent one: the second must be found within a step of the election.
    name: 'primaries cut off in silence, standbys promoted',
    weight: 2,
    async run({ pair, random, fleet }) {
      const links = fleet.flatMap(({ databaseLinks }) => databaseLinks[pair.primaryIndex] ?? []);
      for (const link of links) link.cut();
      await pair.failOver(follow(fleet));
      await sleepFor(random.integer(1000, 9000));
      for (const link of links) link.heal({ forget: true });
    },
  },
  {
    name: 'standbys stopped',
    weight: 1,
    run: ({ pair, random }) => pair.withoutStandby(() => sleepFor(random.integer(200, 14_000))),
  },
  {
    name: 'standbys stopped, then the primary lost',
    weight: 1,
    run: ({ pair, random, fleet }) => pair.loseUnreplicated(random.integer(200, 14_000), follow(fleet)),
  },
  {
    name: 'connections filled',
    weight: 2,
    run: ({ pair, random }) => pair.withoutConnections(() => sleepFor(random.integer(200, 6000))),
  },
  { name: 'sessions ended', weight: 2, run: ({ pair }) => pair.endSessions() },
  { name: 'server processes killed', weight: 1, run: ({ pair }) => pair.crashSession() },
  {
    name: 'PgBouncers killed',
    weight: 2,
    async run({ pair, random }) {
      const { bouncer } = random.pick(pair.nodes);
      await bouncer.stop('kill');
      await sleepFor(random.integer(100, 4000));
      await bouncer.start();
    },
  },
];

const linkFaults: readonly Fault[] = [
  {
    name: 'links cut in silence',
    weight: 3,
    async run({ random, fleet }) {
      const link = random.pick(random.pick(fleet).links);
      link.cut();
      await sleepFor(random.integer(200, 12_000));
      link.heal({ forget: random.chance(0.5) });
    },
  },
  {
    name: 'replicas cut off from both databases',
    weight: 1,
    async run({ random, fleet }) {
      const { databaseLinks } = random.pick(fleet);
      for (const link of databaseLinks) link.cut();
      await sleepFor(random.integer(200, 12_000));
      for (const link of databaseLinks) link.heal({ forget: random.chance(0.5) });
    },
  },
  {
    name: 'replicas whose connections end, and stay away',
    weight: 1,
    async run({ random, fleet }) {
      const { databaseLinks } = random.pick(fleet);
      for (const link of databaseLinks) link.reset();
      for (const link of databaseLinks) link.cut();
      await sleepFor(random.integer(200, 6000));
      for (const link of databaseLinks) link.heal();
    },
  },
  {
    name: 'connections reset',
    weight: 3,
    async run({ random, fleet }) {
      random.pick(random.pick(fleet).links).reset();
    },
  },
];

const executorFaults: readonly Fault[] = [
  {
    name: 'executors killed',
    weight: 1,
    async run({ random, executors }) {
      const executor = random.pick(executors);
      await executor.kill();
      await executor.start();
    },
  },
  {
    name: 'executors frozen',
    weight: 1,
    run: ({ random, executors }) => random.pick(executors).freeze(random.integer(100, 9000)),
  },
];

function draw(random: SeededRandom, faults: readonly Fault[]): Fault {
  let rest = random.integer(
    1,
    faults.reduce((sum, { weight }) => sum + weight, 0),
  );
  const drawn = faults.find(({ weight }) => {
    rest -= weight;
    return rest <= 0;
  });
  return drawn ?? random.pick(faults);
}

async function loop(scene: DrillScene, faults: readonly Fault[]): Promise<void> {
  const { random, ending, paceMs, record, print, upgrade } = scene;
  for (let count = 0; ; count += 1) {
    await sleepFor(random.integer(50, 2 * paceMs), undefined, { signal: ending }).catch(() => undefined);
    if (ending.aborted) return;
    const isUpgrade = upgrade !== undefined && count === faultsBeforeUpgrade;
    const planned = isUpgrade ? faults.find(({ name }) => name === upgradeName) : undefined;
    const fault = planned ?? draw(random, faults);
    scene.faults.set(fault.name, (scene.faults.get(fault.name) ?? 0) + 1);
    print(`  ${(record.elapsedMs() / 1000).toFixed(1)} s: ${fault.name}`);
    await fault.run(scene);
  }
}

export function listFaultNames(): string[] {
  return [replicaFaults, databaseFaults, linkFaults, executorFaults].flat().map(({ name }) => name);
}

/** Causes faults until the scene ends. Rejects when a fault could not be undone. */
export async function causeFaults(scene: DrillScene): Promise<void> {
  const loops = [replicaFaults, databaseFaults, linkFaults, executorFaults].map((faults) =>
    loop({ ...scene, random: scene.random.split() }, faults),
  );
  await Promise.all(loops);
}

/** The faults of a storm, each part at its own pace: kills, freezes, folders that go back, full disks, and two of a thing. */
import { cpSync, existsSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { leaseSeconds, type Role } from './roles.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SmallDisk } from './small-disks.ts';
import type { StormRecord } from './storm-record.ts';

export type ChaosOptions = {
  readonly record: StormRecord;
  readonly random: SeededRandom;
  readonly ending: AbortSignal;
  /** The mean time between two faults of one role. */
  readonly paceMs: number;
};

async function waitForTurn({ random, ending, paceMs }: ChaosOptions): Promise<boolean> {
  await sleepFor(random.integer(50, 2 * paceMs), undefined, { signal: ending }).catch(() => undefined);
  return !ending.aborted;
}

/** Fills the disk; the role may be killed while it is full. */
async function fillDisk({ record, random }: ChaosOptions, role: Role, disk: SmallDisk): Promise<void> {
  record.counts['disks full'] += 1;
  disk.fill();
  try {
    await sleepFor(random.integer(200, 3000));
    if (random.chance(0.3)) await role.kill();
    // Beyond the leases, at times: what has ended then must be found when there is space again.
    if (random.chance(0.3)) await sleepFor((leaseSeconds + 2) * 1000);
  } finally {
    disk.free();
  }
  if (role.hasEnded) await role.start();
}

/** `verifyAudit` is called at times while the control plane is dead. */
export async function disturbControlPlane(
  options: ChaosOptions,
  plane: Role,
  { disk, verifyAudit }: { readonly disk: SmallDisk | undefined; readonly verifyAudit: () => Promise<void> },
): Promise<void> {
  const { random } = options;
  while (await waitForTurn(options)) {
    const draw = random.fraction();
    if (draw < 0.08 && disk) await fillDisk(options, plane, disk);
    else if (draw < 0.2) await plane.freeze(random.integer(100, 4000));
    else {
      await plane.kill();
      if (random.chance(0.1)) await verifyAudit();
      if (random.chance(0.2)) await sleepFor(random.integer(0, 3000));
      await plane.start();
    }
  }
}

/** A copy of the executor's folder, taken after a kill as a snapshot of its volume would be. */
function createFolderCopy(data: string, copy: string) {
  const isCopied = (path: string): boolean => statSync(path).isFile() || statSync(path).isDirectory();
  const replace = (from: string, to: string): void => {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true, filter: isCopied });
  };
  return {
    take: () => replace(data, copy),
    /** False if there is no copy yet. */
    putBack(): boolean {
      if (!existsSync(copy)) return false;
      replace(copy, data);
      return true;
    },
  };
}

export type ExecutorDisturbance = {
  readonly disk: SmallDisk | undefined;
  /** Where the copy of its folder is. */
  readonly copy: string;
  /** A second executor of the instance, which takes over when it starts. */
  readonly rival: Role;
};

export async function disturbExecutor(
  options: ChaosOptions,
  executor: Role,
  { disk, copy: copyFolder, rival }: ExecutorDisturbance,
): Promise<void> {
  const { random, record } = options;
  const copy = createFolderCopy(executor.data, copyFolder);
  while (await waitForTurn(options)) {
    const draw = random.fraction();
    if (draw < 0.08 && disk) await fillDisk(options, executor, disk);
    else if (draw < 0.18) await executor.freeze(random.integer(100, (leaseSeconds + 4) * 1000));
    else if (draw < 0.22) {
      record.counts.rivals += 1;
      executor.expectEnd();
      await rival.start();
      rival.expectEnd();
      await sleepFor(random.integer(500, 3000));
      await rival.kill();
      await executor.kill();
      await executor.start();
    } else {
      await executor.kill();
      if (draw < 0.3) {
        if (copy.putBack()) record.counts['folders back'] += 1;
      } else if (draw < 0.45) copy.take();
      await executor.start();
    }
  }
}

/** Plays one schedule to its end: the plan's work and faults, then a world without faults in which everything must settle. */
import { setActiveWorld } from './active-world.ts';
import { Checker } from './checker.ts';
import { Client } from './client.ts';
import { ControlHost } from './control-host.ts';
import { type Disk, FileDisk } from './disk.ts';
import { ExecutorHost } from './executor-host.ts';
import { Hub } from './hub.ts';
import { MemoryDisk } from './memory-disk.ts';
import { Network } from './network.ts';
import { performAction } from './perform-action.ts';
import type { Plan } from './plan.ts';
import { replaceTimers, Scheduler } from './scheduler.ts';
import { createSeededRandom } from './seeded-random.ts';
import { closeOpenFiles } from './sync-files.ts';
import { SimTarget } from './target.ts';
import { scenarioId, type Template } from './template.ts';

export type SimulationResult = {
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  /** How many runs reached the target. */
  readonly requests: number;
  /** The faults that happened, by name. */
  readonly faults: readonly string[];
};

/** Everything that takes part in a schedule. */
export type World = {
  readonly plan: Plan;
  readonly template: Template;
  readonly scheduler: Scheduler;
  readonly disk: Disk;
  readonly checker: Checker;
  readonly target: SimTarget;
  readonly network: Network;
  readonly control: ControlHost;
  readonly executors: ExecutorHost[];
  readonly client: Client;
  readonly hub: Hub;
  /** Those that have happened. */
  readonly faults: string[];
};

/** Messages that were on their way have arrived within this time, and each lease whose executor is gone has ended. */
const leaseEndMs = 150_000;
/** All queued runs end within this time; each takes at most its timeout. */
const settleMs = 600_000;
/** Reports of direct runs are handed in within this time. */
const uploadMs = 30_000;

/** A power cut takes parts of the write-ahead log of the audit, and a new audit is created: in memory there is neither. */
function needsFiles({ isAuditNew, actions }: Plan): boolean {
  const losesPower = actions.some(
    (action) => action.kind === 'crash' && action.process === 'control' && action.folder === 'power cut',
  );
  return isAuditNew || losesPower;
}

/** `usesFiles`: on real files although it could be in memory. */
export async function simulate(plan: Plan, template: Template, usesFiles = false): Promise<SimulationResult> {
  const disk = usesFiles || needsFiles(plan) ? new FileDisk() : new MemoryDisk();
  const scheduler = new Scheduler();
  setActiveWorld({ scheduler, disk });
  const restoreTimers = replaceTimers(scheduler);
  const world = createWorld(plan, template, scheduler, disk);
  try {
    await play(world);
  } finally {
    await endProcesses(world);
    closeOpenFiles();
    restoreTimers();
    setActiveWorld(undefined);
    disk.remove();
  }
  const { violations } = world.checker;
  return { violations, trace: scheduler.trace, requests: world.target.countRuns(), faults: world.faults };
}

function createWorld(plan: Plan, template: Template, scheduler: Scheduler, disk: Disk): World {
  const { seed } = plan;
  const checker = new Checker(scheduler);
  const onInternalError = (detail: string): void => checker.fail(`internal error: ${detail}`);
  const control = new ControlHost({
    ...{ seed, scheduler, disk, isAuditStrict: plan.isAuditStrict, onInternalError },
    template: plan.isAuditNew ? template.controlWithoutAudit : template.control,
    onOpen: ({ control: open, process }) => {
      open.changes.onCommit(() => {
        if (process.isAlive) void checker.observe(open).catch((error: unknown) => onInternalError(String(error)));
      });
    },
  });
  const getListener = () => control.listener;
  const faults: string[] = [];
  const onReceived = (executor: string, request: string, count: number): void => {
    if (checker.recordReceived(executor, request, count)) faults.push('sent again, not covered');
  };
  const target = new SimTarget({ seed, scheduler, isHostile: plan.isTargetHostile, onReceived });
  const onFault = (fate: string): void => void faults.push(`message, ${fate}`);
  const onCall = (executor: string): void => checker.staleStore.recordCall(executor);
  const network = new Network({ seed, scheduler, getListener, onInternalError, onFault, onCall });
  const random = createSeededRandom(`${seed}/client`);
  const client = new Client({ random, scheduler, checker, scenario: scenarioId, getListener });
  const hub = new Hub({ scheduler, checker, client });
  const world: World = {
    plan,
    template,
    scheduler,
    disk,
    checker,
    target,
    network,
    control,
    executors: [],
    client,
    hub,
    faults,
  };
  for (const instance of plan.instances) addExecutor(world, instance, disk.createFolder(template.executor));
  return world;
}

/** Another executor of `instance`, which is not started. */
export function addExecutor(world: World, instance: string, folder: ExecutorHost['folder']): ExecutorHost {
  const { plan, template, scheduler, disk, checker, target, network, executors } = world;
  const name = `executor-${executors.length}`;
  const host = new ExecutorHost({
    ...{ name, instance, seed: plan.seed, scheduler, disk, target, template: template.executor, folder },
    connect: (process) => {
      const port = network.createPort(process, name, instance);
      const { staleJournal } = checker;
      staleJournal.recordStart(name);
      return {
        ...port,
        hello: async (message, signal) => {
          const welcome = await port.hello(message, signal);
          staleJournal.recordWelcome(name);
          return welcome;
        },
        poll: async (message, signal) => {
          const isAnnouncement = message.in_hand !== null;
          if (isAnnouncement) staleJournal.recordAnnouncement(name);
          const offer = await port.poll(message, signal);
          if (isAnnouncement) staleJournal.recordAnswer(name);
          return offer;
        },
        complete: async (message, signal) => {
          const { storeGeneration } = checker;
          const offer = await port.complete(message, signal);
          if (storeGeneration === checker.storeGeneration) checker.recordReportResponse(message.report);
          return offer;
        },
      };
    },
    onStart: (start) => checker.starts.push(start),
    onEnd: (start) => checker.recordEnd(start),
    onInternalError: (detail) => checker.fail(`internal error: ${detail}`),
  });
  executors.push(host);
  return host;
}

async function play(world: World): Promise<void> {
  const { plan, scheduler, checker, control, executors, client, network } = world;
  const hasFailed = (): boolean => checker.violations.length > 0;
  control.start();
  for (const executor of executors) executor.start();
  network.lossRate = plan.lossRate;
  client.lossRate = plan.lossRate;
  for (const action of plan.actions)
    scheduler.schedule(action.atMs, undefined, () => {
      if (scheduler.nowMs < plan.durationMs + 1) performAction(world, action);
    });
  await scheduler.run(plan.durationMs, hasFailed);
  if (hasFailed()) return;
  scheduler.log('world', 'the faults end');
  heal(world);
  await scheduler.run(scheduler.nowMs + leaseEndMs, hasFailed);
  const hasExecutor = (instance: string): boolean =>
    executors.some((executor) => executor.instance === instance && executor.process);
  await check(world, ({ state, instance }) => state === 'in_progress' && !hasExecutor(instance), new Set());
  if (hasFailed()) return;
  for (const instance of plan.instances)
    if (!hasExecutor(instance)) executors.find((executor) => executor.instance === instance)?.start();
  await scheduler.run(scheduler.nowMs + settleMs, () => hasFailed() || isSettled(world));
  await scheduler.run(scheduler.nowMs + uploadMs, hasFailed);
  if (hasFailed()) return;
  const reporting = executors.filter(({ process, executor }) => process && executor).map(({ name }) => name);
  await check(world, () => true, new Set(reporting));
}

/** From now on nothing goes wrong. What ended does not start again by itself. */
function heal({ scheduler, control, executors, client, network }: World): void {
  network.heal();
  client.lossRate = 0;
  control.folder.fault = undefined;
  for (const executor of executors) executor.folder.fault = undefined;
  for (const { process } of [control, ...executors]) {
    process?.cancelCrash();
    if (process && process.frozenUntilMs > scheduler.nowMs) process.frozenUntilMs = scheduler.nowMs;
  }
  control.start();
}

function isSettled({ client, checker }: World): boolean {
  return client.pending === 0 && checker.haveAllEnded();
}

async function check(
  world: World,
  mustBeFinal: Parameters<Checker['checkRuns']>[1],
  reporting: ReadonlySet<string>,
): Promise<void> {
  const { scheduler, checker, client, hub } = world;
  let isDone = false;
  const finish = (): void => {
    isDone = true;
  };
  client
    .call(async ({ control, audit }) => {
      await checker.checkRuns(control, mustBeFinal, reporting);
      await hub.check(audit, world.control.folder.path);
    })
    .then(finish, (error: unknown) => {
      checker.fail(`the stores cannot be read: ${String(error)}`);
      finish();
    });
  await scheduler.run(scheduler.nowMs + 60_000, () => isDone);
  if (!isDone) checker.fail('the control plane does not answer');
}

/** Closes the stores of what still runs. */
async function endProcesses({ scheduler, disk, control, executors }: World): Promise<void> {
  disk.stopCopying();
  for (const { process } of [control, ...executors]) process?.end('ends with the simulation');
  await scheduler.run(scheduler.nowMs);
}

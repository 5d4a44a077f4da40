/** What a planned action does. */
import type { ControlHost } from './control-host.ts';
import type { ExecutorHost } from './executor-host.ts';
import { faultKinds, type PlannedAction, type ProcessName } from './plan.ts';
import { addExecutor, type World } from './simulate.ts';
import { createInstanceScenario } from './template.ts';

type CrashAction = Extract<PlannedAction, { kind: 'crash' }>;

function findHost({ control, executors }: World, name: ProcessName): ControlHost | ExecutorHost | undefined {
  return name === 'control' ? control : executors.find((executor) => executor.name === name);
}

function findExecutor(world: World, name: ProcessName): ExecutorHost | undefined {
  return world.executors.find((executor) => executor.name === name);
}

export function performAction(world: World, action: PlannedAction): void {
  const { scheduler, client, hub, network, control, checker } = world;
  if (action.kind !== 'request' && action.kind !== 'hub call') scheduler.log('world', describeAction(action));
  if (isImmediateFault(action)) world.faults.push(action.kind);
  switch (action.kind) {
    case 'request':
      client.request(action.instance, action.count, action.repeats);
      break;
    case 'cancel':
      client.cancel(action.pick);
      break;
    case 'direct run':
      runDirectly(world, findExecutor(world, action.process));
      break;
    case 'hub call':
      hub.call(action.hub);
      break;
    case 'cut':
      network.getLink(action.process).cutUntilMs = scheduler.nowMs + action.forMs;
      break;
    case 'message':
      network.getLink(action.process).fates.push(action);
      break;
    case 'rival': {
      const [original] = world.executors.filter(({ instance }) => instance === action.instance);
      const clone = action.isClone && original?.cloneFolder();
      addExecutor(world, action.instance, clone || world.disk.createFolder(world.template.executor)).start();
      break;
    }
    case 'restore':
      control.restore(action.points, () => checker.forgetPromises());
      break;
    default:
      performOnHost(world, action);
  }
}

type HostAction = Extract<
  PlannedAction,
  { kind: 'crash' | 'stop' | 'copy folder' | 'freeze' | 'disk fault' | 'clock jump' }
>;

function performOnHost(world: World, action: HostAction): void {
  const { scheduler } = world;
  const host = findHost(world, action.process);
  if (!host) return;
  const after = (delayMs: number | undefined, work: () => void): void => {
    if (delayMs !== undefined) scheduler.schedule(delayMs, undefined, work);
  };
  switch (action.kind) {
    case 'crash':
      crash(world, host, action);
      break;
    case 'stop':
      if ('stop' in host) host.stop();
      after(action.downMs, () => host.start());
      break;
    case 'copy folder':
      host.copyFolder();
      if (host === world.control) world.checker.recordCopy();
      break;
    case 'freeze':
      if (host.process) host.process.frozenUntilMs = scheduler.nowMs + action.forMs;
      if (host === world.control) world.hub.onPause(action.forMs);
      break;
    case 'disk fault':
      host.folder.fault = action.isFull ? 'SQLITE_FULL' : 'SQLITE_IOERR_WRITE';
      if (host === world.control) world.hub.onPause(action.forMs);
      after(action.forMs, () => {
        host.folder.fault = undefined;
      });
      break;
    case 'clock jump':
      host.machine.wallOffsetMs += action.byMs;
  }
}

/** A crash happens later, or never, and the network says what happens to messages. */
function isImmediateFault({ kind }: PlannedAction): boolean {
  return faultKinds.some((fault) => fault === kind && fault !== 'crash' && fault !== 'message');
}

function describeAction({ atMs: _, ...action }: PlannedAction): string {
  return Object.values(action)
    .filter((value) => value !== undefined)
    .join(' ');
}

function describeCrash({ isAtAwait, folder }: CrashAction): string {
  const kind = isAtAwait ? 'crash at an await' : 'crash';
  return folder === 'intact' ? kind : `${kind}, ${folder}`;
}

/** The process crashes at one of its next effects, or where its code goes on; then its folder is what `folder` says, and it starts again. */
function crash(world: World, host: ControlHost | ExecutorHost, action: CrashAction): void {
  const { points, isAtAwait, folder, downMs } = action;
  const { process } = host;
  if (!process) return;
  if (isAtAwait) process.crashAtResumption(points);
  else process.crashAfter(points);
  process.onEnd(() => {
    if (process.hasCrashed) world.faults.push(describeCrash(action));
    if (folder === 'power cut') host.losePower();
    if (folder === 'power cut' && host === world.control && !world.plan.isAuditStrict) world.hub.onPowerCut();
    if (folder === 'older copy' && host.goBack() && host === world.control) {
      world.checker.staleStore.recordReturn();
      world.checker.forgetPromises();
      world.hub.forgetPromises();
    }
    if ('loseFolder' in host && folder === 'empty') host.loseFolder();
    if ('name' in host && (folder === 'older copy' || folder === 'empty')) {
      world.checker.forgetDirectRuns(host.name);
      world.checker.staleStore.recordOtherFolder(host.name);
      world.checker.staleJournal.recordOlderFolder(host.name);
    }
    if (downMs !== undefined) world.scheduler.schedule(downMs, undefined, () => host.start());
  });
}

function runDirectly({ scheduler, checker }: World, host: ExecutorHost | undefined): void {
  const { process, executor } = host ?? {};
  if (!process || !executor) return;
  scheduler.schedule(0, process, () => {
    executor.runDirect(createInstanceScenario(host?.instance ?? '')).then(
      ({ run_id, correlation_id, result }) => {
        scheduler.log(process.name, `ran ${run_id} directly: ${result}`);
        // An executor that stops and cannot write says in its log that the report is lost.
        const isStored = host?.folder.fault === undefined;
        if (process.isAlive && isStored) checker.recordDirectRun(host?.name ?? '', correlation_id);
      },
      (error: unknown) => {
        if (process.isAlive) checker.recordDirectRunError(error);
      },
    );
  });
}

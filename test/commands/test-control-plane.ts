/** A control plane with executors for one test, and a workspace whose commands use it. */
import { join } from 'node:path';
import type { Test } from 'tap';
import { type ControlPlane, startControlPlane } from '../../src/assemble/control-plane/control-plane.ts';
import { type ExecutorListener, startExecutorListener } from '../../src/assemble/executor/executor-listener.ts';
import { type ExecutorRole, startExecutorRole } from '../../src/assemble/executor/executor-role.ts';
import type { ProcessLog } from '../../src/assemble/process-log.ts';
import { writeCredential } from '../../src/commands/control-plane/credentials.ts';
import { writeDirectRunKey } from '../../src/commands/control-plane/direct-keys.ts';
import type { ControlSettings } from '../../src/control/context.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { createTestProject } from '../executor/test-project.ts';
import type { CommandResult, RunningCommand, Workspace } from './test-workspace.ts';

type CommandSettings = Parameters<Workspace['vp']>[1];

/** A control plane in the test's process. */
export type TestControlPlane = {
  readonly url: string;
  readonly control: ControlPlane['control'];
  /** Runs a command against this control plane. */
  vp(args: readonly string[], settings?: CommandSettings): Promise<CommandResult>;
  start(args: readonly string[], settings?: CommandSettings): RunningCommand;
  /** Registers an instance. */
  registerInstance(id: string, port?: number): Promise<void>;
  /** Starts an executor of a registered instance against the target at `baseUrl`. */
  startExecutor(id: string, baseUrl: string): Promise<ExecutorRole>;
  /** Writes a scenario into the catalogue. */
  writeScenario(instance: string, id: string, text: string): Promise<void>;
  stop(): Promise<void>;
  /** Restarts it on the same store and address. */
  restart(): Promise<void>;
};

const actor = { name: 'somebody' };
const silent: ProcessLog = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** Starts a control plane on a free port. */
export async function startTestControlPlane(
  t: Test,
  workspace: Workspace,
  settings: Partial<ControlSettings> = {},
): Promise<TestControlPlane> {
  const { environment } = memoryEnvironment();
  const folder = join(workspace.folder, 'plane');
  const open = (port: number) =>
    startControlPlane({ environment, folder, host: '127.0.0.1', port, settings, log: silent });
  let running = await open(0);
  const { url } = running;
  const roles: ExecutorRole[] = [];
  writeCredential(workspace.paths, url, running.ownerKey ?? '');
  t.teardown(async () => {
    await Promise.all(roles.map((role) => role.close()));
    await running.close();
  });
  const withControlPlane = (settings: CommandSettings = {}): CommandSettings => ({
    ...settings,
    variables: { VP_CONTROL_PLANE: url, ...settings.variables },
  });
  return {
    url,
    get control() {
      return running.control;
    },
    vp: (args, settings) => workspace.vp(args, withControlPlane(settings)),
    start: (args, settings) => workspace.start(args, withControlPlane(settings)),
    async registerInstance(id, port) {
      const input = { instance_id: id, ...(port === undefined ? {} : { executor_port: port }) };
      await running.control.instances.create(input, actor);
    },
    async startExecutor(id, baseUrl) {
      const project = createTestProject({ baseUrl, token: 'the-token-of-the-target' });
      const control = running.control.executorPort(id);
      const role = await startExecutorRole({ environment, control, project, folder: join(folder, id), log: silent });
      roles.push(role);
      return role;
    },
    async writeScenario(instance, id, text) {
      await running.control.catalogue.write(instance, id, { text }, actor);
    },
    stop: () => running.close(),
    async restart() {
      running = await open(Number(new URL(url).port));
    },
  };
}

/** Starts the listener of an executor for direct runs. */
export async function startDirectRuns(
  t: Test,
  workspace: Workspace,
  role: ExecutorRole,
  port: number,
): Promise<ExecutorListener> {
  const { environment } = memoryEnvironment();
  const folder = workspace.folder;
  const api = await startExecutorListener({
    environment,
    executor: role.executor,
    folder,
    host: '127.0.0.1',
    port,
    log: silent,
  });
  writeDirectRunKey(workspace.paths, port, api.key);
  t.teardown(() => api.close());
  return api;
}

/** A control plane with executors, for the length of a test, and a workspace whose commands find it. */
import { join } from 'node:path';
import type { Test } from 'tap';
import { type ControlPlane, startControlPlane } from '../../src/assemble/control-plane.ts';
import { type ExecutorApi, listenForDirectRuns } from '../../src/assemble/executor-api.ts';
import { type ExecutorRole, startExecutorRole } from '../../src/assemble/executor-role.ts';
import type { ProcessLog } from '../../src/assemble/process-log.ts';
import { writeCredential } from '../../src/commands/credentials.ts';
import { writeDirectKey } from '../../src/commands/direct-keys.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { projectOf } from '../executor/project.ts';
import type { Called, Started, Workspace } from './workspace.ts';

type Settings = Parameters<Workspace['vp']>[1];

/** A control plane and what a person at its machine can do. */
export type Plane = {
  readonly url: string;
  readonly control: ControlPlane['control'];
  /** Runs a command with this control plane as its own. */
  vp(args: readonly string[], settings?: Settings): Promise<Called>;
  start(args: readonly string[], settings?: Settings): Started;
  /** Registers an instance. */
  register(id: string, port?: number): Promise<void>;
  /** Starts an executor of a registered instance against the target at `baseUrl`. */
  execute(id: string, baseUrl: string): Promise<ExecutorRole>;
  /** Writes a scenario into the catalogue. */
  put(instance: string, id: string, text: string): Promise<void>;
  stop(): Promise<void>;
  /** Starts again on the same store and address. */
  restart(): Promise<void>;
};

const actor = { name: 'somebody' };
const silent: ProcessLog = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** Starts one on a free port. */
export async function plane(t: Test, workspace: Workspace): Promise<Plane> {
  const { environment } = memoryEnvironment();
  const folder = join(workspace.folder, 'plane');
  const open = (port: number) => startControlPlane({ environment, folder, host: '127.0.0.1', port, log: silent });
  let running = await open(0);
  const { url } = running;
  const roles: ExecutorRole[] = [];
  writeCredential(workspace.paths, url, running.ownerKey ?? '');
  t.teardown(async () => {
    await Promise.all(roles.map((role) => role.close()));
    await running.close();
  });
  const located = (settings: Settings = {}): Settings => ({
    ...settings,
    variables: { VP_CONTROL_PLANE: url, ...settings.variables },
  });
  return {
    url,
    get control() {
      return running.control;
    },
    vp: (args, settings) => workspace.vp(args, located(settings)),
    start: (args, settings) => workspace.start(args, located(settings)),
    async register(id, port) {
      const input = { instance_id: id, ...(port === undefined ? {} : { executor_port: port }) };
      await running.control.instances.create(input, actor);
    },
    async execute(id, baseUrl) {
      const project = projectOf({ baseUrl, token: 'the-token-of-the-target' });
      const control = running.control.executorOf(id);
      const role = await startExecutorRole({ environment, control, project, folder: join(folder, id), log: silent });
      roles.push(role);
      return role;
    },
    async put(instance, id, text) {
      await running.control.catalogue.write(instance, id, { text }, actor);
    },
    stop: () => running.close(),
    async restart() {
      running = await open(Number(new URL(url).port));
    },
  };
}

/** Lets a role take direct runs, at a port of its own. */
export async function directRuns(
  t: Test,
  workspace: Workspace,
  role: ExecutorRole,
  port: number,
): Promise<ExecutorApi> {
  const { environment } = memoryEnvironment();
  const folder = workspace.folder;
  const api = await listenForDirectRuns({
    environment,
    executor: role.executor,
    folder,
    host: '127.0.0.1',
    port,
    log: silent,
  });
  writeDirectKey(workspace.paths, port, api.key);
  t.teardown(() => api.close());
  return api;
}

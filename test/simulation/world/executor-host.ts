/** The machine of one executor: starts it, crashes it, takes its folder back to an older copy. */
import type { ControlPort } from '../../../src/contract/executor-api.ts';
import { toVpError } from '../../../src/errors/vp-error.ts';
import { type Executor, startExecutor } from '../../../src/executor/executor.ts';
import { createRunner } from '../../../src/executor/runs/runner.ts';
import { openOutboxStore } from '../../../src/store/outbox/outbox-store.ts';
import { createTestProject } from '../../executor/test-project.ts';
import type { Disk, DiskFolder } from './disk.ts';
import type { Scheduler } from './scheduler.ts';
import { createSeededRandom } from './seeded-random.ts';
import { type Machine, SimProcess } from './sim-process.ts';
import type { SimTarget } from './target.ts';

/** One start of an executor. `endMs` is undefined while it runs. */
export type ExecutorStart = {
  readonly name: string;
  readonly instance: string;
  readonly startMs: number;
  endMs: number | undefined;
  endReason: string | undefined;
};

export type ExecutorHostOptions = {
  readonly name: string;
  readonly instance: string;
  readonly seed: string;
  readonly scheduler: Scheduler;
  readonly disk: Disk;
  readonly target: SimTarget;
  /** A new store. */
  readonly template: string;
  readonly folder: DiskFolder;
  readonly connect: (process: SimProcess) => ControlPort;
  readonly onStart: (start: ExecutorStart) => void;
  /** It ended by itself. */
  readonly onEnd: (start: ExecutorStart) => void;
  readonly onInternalError: (detail: string) => void;
};

const restartMs = 1000;
const project = createTestProject({ baseUrl: 'http://app.test:3100' });

export class ExecutorHost {
  readonly machine: Machine = { wallOffsetMs: 0 };
  folder: DiskFolder;
  readonly #options: ExecutorHostOptions;
  #process: SimProcess | undefined;
  #executor: Executor | undefined;
  #starts = 0;
  #olderCopy: DiskFolder | undefined;

  constructor(options: ExecutorHostOptions) {
    this.#options = options;
    this.folder = options.folder;
  }

  get name(): string {
    return this.#options.name;
  }

  get instance(): string {
    return this.#options.instance;
  }

  get process(): SimProcess | undefined {
    return this.#process?.isAlive ? this.#process : undefined;
  }

  /** The executor that runs. */
  get executor(): Executor | undefined {
    return this.process && this.#executor;
  }

  /** Starts it unless it runs. */
  start(): void {
    const { name, instance, seed, scheduler, onStart } = this.#options;
    if (this.process) return;
    this.#starts += 1;
    const process = new SimProcess({ name: `${name}#${this.#starts}`, seed, scheduler, machine: this.machine });
    this.#process = process;
    const start: ExecutorStart = {
      ...{ name: process.name, instance, startMs: scheduler.nowMs },
      ...{ endMs: undefined, endReason: undefined },
    };
    process.onEnd(() => {
      this.folder = this.#options.disk.continueFolder(this.folder);
      this.#executor = undefined;
      start.endMs = scheduler.nowMs;
    });
    onStart(start);
    scheduler.log(process.name, 'starts');
    scheduler.schedule(0, process, () => void this.#run(process, start));
  }

  async #run(process: SimProcess, start: ExecutorStart): Promise<void> {
    const { scheduler, target, connect, onEnd, onInternalError } = this.#options;
    const { clock, random } = process;
    try {
      const { path, identity: fileIdentity } = this.folder;
      const store = openOutboxStore(path, 1);
      const runner = createRunner({ project, clock, dispatcher: target.createDispatcher(process), version: '0.4.0' });
      const log = this.#createLog(process);
      const shared = { project, clock, random, log, fileIdentity, version: '0.4.0' };
      // Every other start hands its reports in first, as the executor of a control plane's own process does; with half of the seeds the first.
      const isControlInProcess =
        (this.#starts + this.#options.seed.charCodeAt(this.#options.seed.length - 1)) % 2 === 0;
      const parts = { ...shared, control: connect(process), isControlInProcess, runner, database: store.database };
      const executor = await startExecutor(parts);
      if (!process.isAlive) return;
      this.#executor = executor;
      start.endReason = await executor.completion;
      if (!process.isAlive) return;
      onEnd(start);
      await executor.stop();
      await store.close();
      process.end(`ends: ${start.endReason}`);
    } catch (error) {
      if (!process.isAlive) return;
      const { code, detail, message } = toVpError(error);
      if (code === 'INTERNAL') onInternalError(detail ?? message);
      process.end(`fails with ${code}`);
      scheduler.schedule(restartMs, undefined, () => this.start());
    }
  }

  #createLog(process: SimProcess) {
    const write = (fields: Readonly<Record<string, unknown>>, message: string): void => {
      const run = typeof fields.run === 'string' ? ` (${fields.run})` : '';
      if (process.isAlive) this.#options.scheduler.log(process.name, `log: ${message}${run}`);
    };
    return { info: write, warn: write };
  }

  /** Asks it to stop. */
  stop(): void {
    const [process, executor] = [this.process, this.executor];
    if (process && executor) this.#options.scheduler.schedule(0, process, () => void executor.stop());
  }

  losePower(): void {
    const { disk, seed, name } = this.#options;
    disk.loseUnsynced(this.folder, createSeededRandom(`${seed}/${name}/power/${this.#starts}`));
  }

  /** A copy that the folder may go back to. */
  copyFolder(): void {
    this.#olderCopy = this.#options.disk.copyFolder(this.folder);
  }

  /** A copy that is used beside it. */
  cloneFolder(): DiskFolder {
    return this.#options.disk.cloneFolder(this.folder);
  }

  /** To the copy; false when there is none. */
  goBack(): boolean {
    if (!this.#olderCopy) return false;
    const { fault } = this.folder;
    this.folder = this.#options.disk.copyFolder(this.#olderCopy);
    this.folder.fault = fault;
    return true;
  }

  loseFolder(): void {
    const { disk, template } = this.#options;
    this.folder = disk.createFolder(template);
  }
}

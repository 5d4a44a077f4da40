/** The processes of a storm: a control plane and an executor for each instance, started, killed, frozen and started again. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/environment/clock.ts';
import { constantDelay, retry } from '../../src/timing/retry.ts';
import { waitAtMost } from '../../src/timing/timeout.ts';
import { Processes, type RunningProcess } from '../e2e/processes.ts';
import type { StormRecord } from './storm-record.ts';

const packedFile = join(import.meta.dirname, '../../dist/vp');
const dayMs = 86_400_000;
const startAttempts = 40;
/** Generous, for a machine that is busy. */
const maxStopMs = 120_000;

/** A role on a folder, in one process at a time. */
export class Role {
  readonly name: string;
  readonly data: string;
  readonly #start: () => RunningProcess;
  readonly #record: StormRecord;
  readonly #onListening: (url: string) => void;
  #process: RunningProcess | undefined;
  #isExpectedToEnd = true;

  constructor(
    name: string,
    data: string,
    record: StormRecord,
    start: () => RunningProcess,
    onListening: (url: string) => void = () => undefined,
  ) {
    this.name = name;
    this.data = data;
    this.#start = start;
    this.#record = record;
    this.#onListening = onListening;
  }

  get output(): string {
    return `${this.#process?.stdout ?? ''}${this.#process?.stderr ?? ''}`;
  }

  /** Starts until it listens: while a disk is full or its lock is not free yet, a start may be refused. */
  async start(): Promise<void> {
    const shouldRetry = (_error: unknown, failures: number): boolean => failures < startAttempts;
    const pause = (delayMs: number): Promise<void> => systemClock.sleep(delayMs);
    await retry({ backoff: constantDelay(250), shouldRetry, pause }, () => this.#startOnce());
  }

  async #startOnce(): Promise<void> {
    const running = this.#start();
    this.#process = running;
    this.#isExpectedToEnd = true;
    try {
      const [, url = ''] = await running.waitForOutput(/^\{"event":"listening".*"url":"([^"]+)"/m);
      this.#isExpectedToEnd = false;
      this.#onListening(url);
      void running.ended.then(() => this.#noticeEnd(running));
    } catch (error) {
      await running.kill();
      throw error;
    }
  }

  #noticeEnd(running: RunningProcess): void {
    if (this.#process !== running || this.#isExpectedToEnd) return;
    const output = `${running.stderr.slice(-1000)}${running.stdout.slice(-1000)}`;
    this.#record.addProblem(`${this.name} ended by itself:\n${output}`);
  }

  /** From now on it may end by itself, as when a rival takes over. */
  expectEnd(): void {
    this.#isExpectedToEnd = true;
  }

  get hasEnded(): boolean {
    return this.#process?.hasEnded ?? true;
  }

  async kill(): Promise<void> {
    this.#isExpectedToEnd = true;
    if (!this.hasEnded) this.#record.counts.kills += 1;
    await this.#process?.kill();
  }

  async freeze(durationMs: number): Promise<void> {
    if (this.hasEnded) return;
    this.#record.counts.freezes += 1;
    this.#process?.signalGroup('SIGSTOP');
    await systemClock.sleep(durationMs);
    this.#process?.signalGroup('SIGCONT');
  }

  /** Ends it as an operator does. */
  async stop(): Promise<void> {
    this.#isExpectedToEnd = true;
    const running = this.#process;
    if (!running || running.hasEnded) return;
    running.signal('SIGTERM');
    await waitAtMost(systemClock, maxStopMs, running.ended);
    if (running.hasEnded) return;
    this.#record.addProblem(`${this.name} did not end within ${maxStopMs / 1000} s:\n${running.stderr.slice(-1000)}`);
    await running.kill();
  }
}

/** Starts a copy of `vp`, which a build meanwhile does not change, with a home below the storm's folder. */
export class StormProcesses {
  readonly folder: string;
  readonly #processes = new Processes();
  readonly #binary: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    this.#binary = join(folder, 'vp');
    copyFileSync(packedFile, this.#binary);
  }

  vp(args: readonly string[], variables: Readonly<Record<string, string>> = {}): RunningProcess {
    return this.start(this.#binary, args, variables);
  }

  /** Starts another binary in the same surroundings. */
  start(binary: string, args: readonly string[], variables: Readonly<Record<string, string>>): RunningProcess {
    const home = join(this.folder, 'home');
    const own = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      XDG_DATA_HOME: join(home, 'data'),
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_CACHE_HOME: join(home, 'cache'),
    };
    return this.#processes.start(binary, args, {
      cwd: this.folder,
      variables: { ...own, ...variables },
      lifetimeMs: dayMs,
    });
  }

  get allOutput(): string {
    return this.#processes.allOutput;
  }

  async clear(): Promise<void> {
    await this.#processes.clear();
  }
}

export const leaseSeconds = 5;

/** The arguments of a control plane whose leases are short. */
export function controlPlaneArgs(data: string): readonly string[] {
  const leases = ['--lease-seconds', String(leaseSeconds)];
  return [
    'serve',
    '--json',
    '--port',
    '0',
    '--data',
    data,
    '--allow-private-upstreams',
    '--log-level',
    'warn',
    ...leases,
  ];
}

/** Writes the folder with an executor's config and gives the arguments for its start. */
export function executorArgs(folder: string, data: string, controlPlane: string, targetOrigin: string): string[] {
  mkdirSync(folder, { recursive: true });
  const config = `project: {name: storm}\ntargets:\n  http: {base_url: "${targetOrigin}"}\n`;
  writeFileSync(join(folder, 'platform-config.yaml'), config);
  const addresses = ['--port', '0', '--control-plane', controlPlane];
  return ['executor', '--json', '--data', data, '--product-dir', folder, '--log-level', 'warn', ...addresses];
}

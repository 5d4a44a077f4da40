/**
 * Which test file starts next. The longest start first, so that none of them is left alone at the end; and as many at once as keep the cores
 * busy, because a file that waits for leases to end, for processes or for the disk leaves its core to another.
 */

/** What a file takes on a machine without other work. */
export type FileCost = {
  readonly wallMs: number;
  /** Of its process and of those that it waited for. */
  readonly processorMs: number;
};

export type FileCosts = Readonly<Record<string, FileCost>>;

export type ScheduleLimits = {
  readonly cores: number;
  /** So many run at once whatever they take. */
  readonly minRunning: number;
  readonly maxRunning: number;
};

/** A file that was never measured, or is too short to be recorded: it usually starts and computes. */
const unknownCost: FileCost = { wallMs: 500, processorMs: 350 };
/** A file of processes that was never measured. */
const unknownProcessesCost: FileCost = { wallMs: 10_000, processorMs: 7000 };

/** More files than fill the cores, because none of them computes evenly. */
const overcommitment = 1.15;
/** A fifth of two cores; a file that starts has a use for one. */
const minIdleCores = 0.4;

export const estimateCost = (file: string, costs: FileCosts): FileCost =>
  costs[file] ?? (file.startsWith('test/e2e/') ? unknownProcessesCost : unknownCost);

/** How many cores a file keeps busy. */
const computeShare = ({ wallMs, processorMs }: FileCost): number => processorMs / Math.max(wallMs, 1);

export class FileSchedule {
  readonly #queue: string[];
  readonly #shares: ReadonlyMap<string, number>;
  readonly #limits: ScheduleLimits;
  readonly #running: string[] = [];

  constructor(files: readonly string[], costs: FileCosts, limits: ScheduleLimits) {
    const wallMs = (file: string): number => estimateCost(file, costs).wallMs;
    this.#queue = [...files].sort((a, b) => wallMs(b) - wallMs(a) || (a < b ? -1 : 1));
    this.#shares = new Map(files.map((file) => [file, computeShare(estimateCost(file, costs))]));
    this.#limits = limits;
  }

  /** The file to start now; undefined until another has ended, or when none is left. */
  take(): string | undefined {
    const { cores, minRunning, maxRunning } = this.#limits;
    const running = this.#running.length;
    if (running >= maxRunning) return undefined;
    const busy = this.#running.reduce((sum, file) => sum + this.#share(file), 0);
    const fits = (file: string): boolean => busy + this.#share(file) <= cores * overcommitment;
    const index = running < minRunning ? 0 : this.#queue.findIndex(fits);
    return index < 0 ? undefined : this.#start(index);
  }

  /**
   * The next file beside those that run, when so many cores were found idle: what files take is an estimate, and those that run at the same
   * time may all be waiting.
   */
  takeForIdle(idleCores: number): string | undefined {
    if (idleCores < minIdleCores || this.#running.length >= this.#limits.maxRunning) return undefined;
    return this.#start(0);
  }

  /** A file that was taken has ended. */
  finish(file: string): void {
    this.#running.splice(this.#running.indexOf(file), 1);
  }

  #start(index: number): string | undefined {
    const [file] = this.#queue.splice(index, 1);
    if (file !== undefined) this.#running.push(file);
    return file;
  }

  #share(file: string): number {
    return this.#shares.get(file) ?? 1;
  }
}

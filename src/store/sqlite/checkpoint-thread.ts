/** A thread with a connection of its own, which moves the pages of a write-ahead log to their file. */
import { getAsset, isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type {
  CheckpointRequest,
  CheckpointResponse,
  CheckpointResult,
  CheckpointWorkerData,
} from './checkpoint-worker.ts';
import { nativeAddonOptions } from './native-addon.ts';

/** Neither flags, variables nor much memory of this process: the thread holds one connection and no pages. */
const workerOptions: WorkerOptions = {
  execArgv: [],
  env: {},
  resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
};

function startWorker(file: string): Worker {
  const workerData: CheckpointWorkerData = { file, options: nativeAddonOptions() };
  const options = { ...workerOptions, workerData };
  // The packed binary has no files that a thread could load.
  return isSea()
    ? new Worker(getAsset('checkpoint-worker.cjs', 'utf8'), { ...options, eval: true })
    : new Worker(new URL('./checkpoint-worker.ts', import.meta.url), options);
}

/** One checkpoint at a time. An idle thread does not keep the process alive. */
export class CheckpointThread {
  readonly #worker: Worker;
  readonly #end = Promise.withResolvers<void>();
  #current: PromiseWithResolvers<CheckpointResult> | undefined;
  #failure: Error | undefined;

  /** Throws when no thread can be started. */
  constructor(file: string) {
    this.#worker = startWorker(file);
    this.#worker.on('message', (response: CheckpointResponse) => this.#settle(response));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => {
      this.#fail(new Error('the thread for checkpoints has ended'));
      this.#end.resolve();
    });
    this.#worker.unref();
  }

  /** Rejects with an error of SQLite, or with the reason why the thread has ended. */
  async checkpoint(): Promise<CheckpointResult> {
    if (this.#failure) throw this.#failure;
    this.#current = Promise.withResolvers();
    this.#worker.ref();
    this.#worker.postMessage('checkpoint' satisfies CheckpointRequest);
    try {
      return await this.#current.promise;
    } finally {
      this.#current = undefined;
      this.#worker.unref();
    }
  }

  /** Resolves when its connection is closed and the thread has ended. Never rejects. */
  async close(): Promise<void> {
    this.#worker.ref();
    this.#worker.postMessage('close' satisfies CheckpointRequest);
    await this.#end.promise;
  }

  #settle(response: CheckpointResponse): void {
    if ('code' in response) this.#current?.reject(new Sqlite.SqliteError(response.message, response.code));
    else this.#current?.resolve(response);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#current?.reject(this.#failure);
  }
}

/** The log of one container, followed repeatedly without duplicate lines. */
import type { IncomingMessage } from 'node:http';
import { vpError } from '../../errors/vp-error.ts';
import { ContainerLogParser } from './container-log-parser.ts';
import type { Container } from './containers.ts';
import { type LogEngine, sendEngineRequest } from './engine-request.ts';
import type { StreamName } from './frames.ts';

/** `ended`: the container stopped; `gone`: it was removed; `unreadable`: its logging driver stores nothing. */
export type FollowResult = 'ended' | 'gone' | 'unreadable';
/** Receives lines that arrived together, and resolves when more may be delivered. */
export type DeliverLines = (lines: readonly ContainerLine[]) => Promise<void>;
/** `at`: the engine's timestamp. */
export type ContainerLine = { readonly stream: StreamName; readonly at: string; readonly text: string };

/** Lines read again to cover the time between two requests, or a lost connection. */
const maxBridgeLines = 5000;
const maxResumeLines = 20_000;

/** Reads the log from the beginning, unless history is skipped first. */
export class ContainerLog {
  readonly #engine: LogEngine;
  readonly #container: Container;
  readonly #lastTimestamps = { stdout: '', stderr: '' };
  #tail: number | 'all' = 'all';
  #afterMs: number | undefined;

  constructor(engine: LogEngine, container: Container) {
    this.#engine = engine;
    this.#container = container;
  }

  /** Skips what was written until now. Rejects as `sendEngineRequest` does. */
  async skipHistory(signal: AbortSignal): Promise<void> {
    this.#tail = maxBridgeLines;
    const response = await sendEngineRequest(this.#engine, { kind: 'lastLine', id: this.#container.id }, signal);
    if (response.statusCode !== 200) return void response.destroy();
    const lines = new ContainerLogParser({ ...this.#lastTimestamps }, (_stream, _text, timestamp) => {
      this.#lastTimestamps.stdout = timestamp;
      this.#lastTimestamps.stderr = timestamp;
    });
    for await (const chunk of response) lines.push(chunk);
    lines.end();
  }

  /** Skips what was written before `afterMs`, and all but the last 20,000 lines after it. */
  skipBefore(afterMs: number): void {
    this.#tail = maxResumeLines;
    this.#afterMs = afterMs;
  }

  /** Delivers lines until the log ends. Rejects as `sendEngineRequest` does, and with LOG_ENGINE_FAULT. */
  async follow(deliver: DeliverLines, signal: AbortSignal): Promise<FollowResult> {
    const { id } = this.#container;
    const response = await sendEngineRequest(this.#engine, { kind: 'follow', id, tail: this.#tail }, signal);
    if (response.statusCode !== 200) return this.#readRefusal(response);
    let batch: ContainerLine[] = [];
    const lines = new ContainerLogParser({ ...this.#lastTimestamps }, (stream, text, timestamp) => {
      this.#lastTimestamps[stream] = timestamp;
      this.#tail = maxResumeLines;
      if (this.#isTooOld(timestamp)) return;
      batch.push({ stream, at: timestamp, text });
    });
    const deliverBatch = async (): Promise<void> => {
      if (batch.length === 0) return;
      const deliverable = batch;
      batch = [];
      await deliver(deliverable);
    };
    for await (const chunk of response) {
      lines.push(chunk);
      await deliverBatch();
    }
    lines.end();
    await deliverBatch();
    return 'ended';
  }

  /** Lines arrive in the order of their timestamps, so comparing stops at the first line that is new enough. */
  #isTooOld(timestamp: string): boolean {
    if (this.#afterMs === undefined) return false;
    if (Date.parse(timestamp) < this.#afterMs) return true;
    this.#afterMs = undefined;
    return false;
  }

  async #readRefusal(response: IncomingMessage): Promise<FollowResult> {
    const errorText = await readBeginning(response);
    const { statusCode = 0 } = response;
    // 409: dead, or being removed.
    if (statusCode === 404 || statusCode === 409) return 'gone';
    if (statusCode === 501 || /does not support reading/.test(errorText)) return 'unreadable';
    const requestedLog = `the log of ${this.#container.name}`;
    throw vpError(
      'LOG_ENGINE_FAULT',
      { request: requestedLog, response: `status ${statusCode}` },
      { detail: errorText },
    );
  }
}

async function readBeginning(response: IncomingMessage): Promise<string> {
  for await (const chunk of response) return String(chunk).slice(0, 1000);
  return '';
}

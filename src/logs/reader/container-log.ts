/** The log of one container, followed again and again without repeating a line. */
import type { IncomingMessage } from 'node:http';
import { vpError } from '../../errors/vp-error.ts';
import type { Container } from './containers.ts';
import { askEngine, type Engine } from './engine-request.ts';
import type { StreamName } from './frames.ts';
import { LogLines } from './log-lines.ts';

/** `ended`: for now, because the container stopped; `gone`: it was removed; `unreadable`: its logging driver keeps nothing. */
export type FollowEnd = 'ended' | 'gone' | 'unreadable';
/** Takes the lines that came together, and resolves when more may come. */
export type Deliver = (lines: readonly TakenLine[]) => Promise<void>;
/** `at`: the engine's moment of it. */
export type TakenLine = { readonly stream: StreamName; readonly at: string; readonly text: string };

/** Lines read back to bridge the moment between two requests, or a lost connection. */
const bridgeLines = 5000;
const resumeLines = 20_000;

/** Reads all of it from the beginning, unless history is skipped first. */
export class ContainerLog {
  readonly #engine: Engine;
  readonly #container: Container;
  readonly #seen = { stdout: '', stderr: '' };
  #tail: number | 'all' = 'all';
  #afterMs: number | undefined;

  constructor(engine: Engine, container: Container) {
    this.#engine = engine;
    this.#container = container;
  }

  /** Leaves out what was written until now. Rejects as `askEngine` does. */
  async skipHistory(signal: AbortSignal): Promise<void> {
    this.#tail = bridgeLines;
    const answer = await askEngine(this.#engine, { kind: 'lastLine', id: this.#container.id }, signal);
    if (answer.statusCode !== 200) return void answer.destroy();
    const lines = new LogLines({ ...this.#seen }, (_stream, _text, moment) => {
      this.#seen.stdout = moment;
      this.#seen.stderr = moment;
    });
    for await (const chunk of answer) lines.push(chunk);
    lines.end();
  }

  /** Leaves out what was written before `afterMs`, and of what came after it all but the last 20,000 lines. */
  skipBefore(afterMs: number): void {
    this.#tail = resumeLines;
    this.#afterMs = afterMs;
  }

  /** Delivers lines until the log ends. Rejects as `askEngine` does, and with LOG_ENGINE_FAULT. */
  async follow(deliver: Deliver, signal: AbortSignal): Promise<FollowEnd> {
    const { id } = this.#container;
    const answer = await askEngine(this.#engine, { kind: 'follow', id, tail: this.#tail }, signal);
    if (answer.statusCode !== 200) return this.#refusal(answer);
    let batch: TakenLine[] = [];
    const lines = new LogLines({ ...this.#seen }, (stream, text, at) => {
      this.#seen[stream] = at;
      this.#tail = resumeLines;
      if (this.#isFromBefore(at)) return;
      batch.push({ stream, at, text });
    });
    const deliverBatch = async (): Promise<void> => {
      if (batch.length === 0) return;
      const ready = batch;
      batch = [];
      await deliver(ready);
    };
    for await (const chunk of answer) {
      lines.push(chunk);
      await deliverBatch();
    }
    lines.end();
    await deliverBatch();
    return 'ended';
  }

  /** Lines come in the order of their moments, so the first that is not from before is the last to be looked at. */
  #isFromBefore(at: string): boolean {
    if (this.#afterMs === undefined) return false;
    if (Date.parse(at) < this.#afterMs) return true;
    this.#afterMs = undefined;
    return false;
  }

  async #refusal(answer: IncomingMessage): Promise<FollowEnd> {
    const words = await beginning(answer);
    const { statusCode = 0 } = answer;
    // 409: dead, or just being removed.
    if (statusCode === 404 || statusCode === 409) return 'gone';
    if (statusCode === 501 || /does not support reading/.test(words)) return 'unreadable';
    const asked = `the log of ${this.#container.name}`;
    throw vpError('LOG_ENGINE_FAULT', { asked, answer: `status ${statusCode}` }, { detail: words });
  }
}

async function beginning(answer: IncomingMessage): Promise<string> {
  for await (const chunk of answer) return String(chunk).slice(0, 1000);
  return '';
}

/** MCP over the standard streams of a child process, with the official framing. */
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import type { ChildProcess } from '../../../process/child-process.ts';

/** Starts the process; `onEnd` is called once. */
export type StartChild = (onOutput: (chunk: Buffer) => void, onEnd: (problem: string) => void) => ChildProcess;

/** A transport for the official client, which recognizes a child process by `stderr` and `pid`. */
export class ChildTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly stderr = null;
  /** Why it ended; undefined while it runs. */
  problem: string | undefined;
  readonly #start: StartChild;
  readonly #buffer: ReadBuffer;
  #child: ChildProcess | undefined;

  constructor(start: StartChild, limitBytes: number) {
    this.#start = start;
    this.#buffer = new ReadBuffer({ maxBufferSize: limitBytes });
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    this.#child = this.#start(
      (chunk) => this.#read(chunk),
      (problem) => {
        this.problem = problem;
        this.onclose?.();
      },
    );
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      // More than the limit without a line break: messages can no longer be separated.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#child || this.problem !== undefined) throw new Error('the process has ended');
    await this.#child.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.#buffer.clear();
    await this.#child?.stop();
  }
}

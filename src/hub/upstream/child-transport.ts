/** MCP over the standard streams of a child process: the official framing on our own way of running programs. */
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import type { ChildProgram } from '../../process/child-program.ts';

/** Starts the program; told each chunk of its output, and once that it has ended. */
export type StartChild = (onOutput: (chunk: Buffer) => void, onEnd: (problem: string) => void) => ChildProgram;

/** A transport for the official client. `stderr` and `pid` tell it that this is a child, not a server. */
export class ChildTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly stderr = null;
  /** Why it ended; undefined while it runs. */
  problem: string | undefined;
  readonly #start: StartChild;
  readonly #buffer: ReadBuffer;
  #child: ChildProgram | undefined;

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
      // More than the limit without an end of line: what it says cannot be told apart any more.
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
    if (!this.#child || this.problem !== undefined) throw new Error('the program has ended');
    await this.#child.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.#buffer.clear();
    await this.#child?.end();
  }
}

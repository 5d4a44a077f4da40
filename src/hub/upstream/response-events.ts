/** Reads the event stream of one request as it arrives, up to the response. */
import { ProtocolError, SdkError } from '@modelcontextprotocol/client';
import type { EventConsumer } from '../../outbound/event-stream-body.ts';
import { createByteEventReader } from '../../streams/event-reader.ts';
import { ServerMessagesError } from './server-messages.ts';

/** A stream with one of these is not resumed: what it said is the outcome. */
const answerErrors = [ProtocolError, SdkError, SyntaxError, ServerMessagesError];

type StreamEvent = { readonly id?: string | undefined; readonly data: string };
type Result = Record<string, unknown>;

/** What a stream says, and whether it can be resumed; functions may throw what the request rejects with. */
export type EventHandlers = {
  /** Returns the result if the event is the response. Of a large event a promise: those that follow wait until it settles. */
  onEvent(event: StreamEvent): Result | undefined | Promise<Result | undefined>;
  onRetry(ms: number): void;
  isResumable(): boolean;
  /** True if the result is not needed any more. */
  isAborted(): boolean;
};

export class ResponseEvents implements EventConsumer {
  readonly #handlers: EventHandlers;
  readonly #feed: (bytes: Uint8Array) => void;
  readonly #outcome = Promise.withResolvers<Result | undefined>();
  #isSettled = false;
  /** A large event is being read. */
  #isReading = false;
  /** What follows it. */
  #waiting: StreamEvent[] = [];
  #ending: { readonly problem: unknown } | undefined;
  #onReady: (() => void) | undefined;

  constructor(handlers: EventHandlers) {
    this.#handlers = handlers;
    this.#feed = createByteEventReader((event) => this.#onEvent(event), handlers.onRetry);
    this.#outcome.promise.catch(() => {});
  }

  /** Undefined for a stream without a response that can be resumed, or has ended regularly. */
  get result(): Promise<Result | undefined> {
    return this.#outcome.promise;
  }

  onBytes(bytes: Uint8Array): boolean {
    try {
      this.#feed(bytes);
    } catch (error) {
      this.#fail(error);
    }
    return !this.#isSettled;
  }

  get isFull(): boolean {
    return this.#isReading;
  }

  onceReady(listener: () => void): void {
    this.#onReady = listener;
  }

  onEnd(problem: unknown): void {
    if (this.#isReading && !this.#handlers.isAborted()) this.#ending = { problem };
    else if (problem === undefined) this.#settle(undefined);
    else this.#fail(problem);
  }

  #onEvent(event: StreamEvent): void {
    if (this.#isSettled) return;
    if (this.#isReading) {
      this.#waiting.push(event);
      return;
    }
    const result = this.#handlers.onEvent(event);
    if (result instanceof Promise) void this.#awaitLarge(result);
    else if (result) this.#settle(result);
  }

  async #awaitLarge(reading: Promise<Result | undefined>): Promise<void> {
    this.#isReading = true;
    try {
      const result = await reading;
      if (result) this.#settle(result);
    } catch (error) {
      this.#fail(error);
    }
    this.#isReading = false;
    this.#continue();
  }

  #continue(): void {
    const events = this.#waiting;
    this.#waiting = [];
    try {
      for (const event of events) this.#onEvent(event);
    } catch (error) {
      this.#fail(error);
    }
    if (this.#isReading) return;
    if (this.#ending && !this.#isSettled) this.onEnd(this.#ending.problem);
    const onReady = this.#onReady;
    this.#onReady = undefined;
    onReady?.();
  }

  #settle(result: Result | undefined): void {
    this.#isSettled = true;
    this.#outcome.resolve(result);
  }

  /** Only a stream that was interrupted is resumed. */
  #fail(error: unknown): void {
    const isAnswer = answerErrors.some((type) => error instanceof type);
    this.#isSettled = true;
    if (isAnswer || !this.#handlers.isResumable()) this.#outcome.reject(error);
    else this.#outcome.resolve(undefined);
  }
}

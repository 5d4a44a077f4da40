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
  /** Returns the result if the event is the response. */
  onEvent(event: StreamEvent): Result | undefined;
  onRetry(ms: number): void;
  isResumable(): boolean;
};

export class ResponseEvents implements EventConsumer {
  readonly #handlers: EventHandlers;
  readonly #feed: (bytes: Uint8Array) => void;
  readonly #outcome = Promise.withResolvers<Result | undefined>();
  #isSettled = false;

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

  onEnd(problem: unknown): void {
    if (problem === undefined) this.#settle(undefined);
    else this.#fail(problem);
  }

  #onEvent(event: StreamEvent): void {
    if (this.#isSettled) return;
    const result = this.#handlers.onEvent(event);
    if (result) this.#settle(result);
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

/**
 * Sends one request and hears the answer out: at most 10 MiB of body, within the time of the scenario, which covers
 * everything from the look-up of the host name to the last byte. Redirects are not followed.
 */
import type { Clock } from '../environment/clock.ts';
import type { TargetDispatcher } from '../outbound/target-dispatcher.ts';
import type { WireListener, WireRequest, WireStage } from '../outbound/wire.ts';
import type { BaseUrlFrom } from '../project/project-config.ts';
import type { Fault, HeaderList, Timings } from '../run/evidence.ts';
import { addressOf } from './address.ts';
import { faultOf } from './fault.ts';
import { wireFault } from './wire-fault.ts';

/** More of a body is not read; it holds before and after Content-Encoding is undone. */
export const bodyLimitBytes = 10 * 1024 * 1024;

/** What a run needs besides the request. */
export type TriggerOptions = {
  readonly dispatcher: TargetDispatcher;
  readonly clock: Clock;
  /** Monotonic moment at which the executor took the run up. */
  readonly takenUpMs: number;
  readonly timeoutMs: number;
  /** Who named the target's address; cures name the same. */
  readonly baseUrlFrom: BaseUrlFrom;
  /** Aborting it cancels the run. */
  readonly signal?: AbortSignal | undefined;
  /** Asked in the moment before the first byte leaves; undefined lets it leave, a fault ends the run instead. */
  readonly refusal?: (() => Fault | undefined) | undefined;
};

/** What was heard. `bytes` is the body as it came, still encoded; whole only where there is no fault. */
export type Heard = {
  readonly head: { readonly status: number; readonly headers: HeaderList } | undefined;
  readonly bytes: Buffer;
  readonly fault: Fault | undefined;
  readonly timings: Timings;
};

/** Sends `request` once (see target-dispatcher.ts for the one exception). Never rejects. */
export function trigger(request: WireRequest, options: TriggerOptions): Promise<Heard> {
  return new Promise((resolve) => new Hearing(request, options, resolve).start());
}

class Hearing implements WireListener {
  readonly #request: WireRequest;
  readonly #options: TriggerOptions;
  readonly #resolve: (heard: Heard) => void;
  readonly #chunks: Buffer[] = [];
  readonly #onCancel = (): void => this.#giveUp(this.#cancelled());
  #bytes = 0;
  #stage: WireStage = 'connect';
  #head: Heard['head'];
  #connectMs: number | undefined;
  #firstByteMs: number | undefined;
  #abort: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;
  #done = false;

  constructor(request: WireRequest, options: TriggerOptions, resolve: (heard: Heard) => void) {
    this.#request = request;
    this.#options = options;
    this.#resolve = resolve;
  }

  start(): void {
    const { signal, clock, timeoutMs, dispatcher } = this.#options;
    if (signal?.aborted) {
      this.#settle(this.#cancelled());
      return;
    }
    signal?.addEventListener('abort', this.#onCancel, { once: true });
    this.#stopTimer = clock.after(timeoutMs, () => this.#giveUp(this.#timedOut()));
    const abort = dispatcher.send(this.#request, this);
    if (this.#done) abort();
    else this.#abort = abort;
  }

  mayStart(fresh: boolean): boolean {
    const refusal = this.#options.refusal?.();
    if (refusal) {
      this.#settle(refusal);
      return false;
    }
    this.#connectMs = fresh ? this.#elapsedMs() : 0;
    this.#stage = 'sent';
    return true;
  }

  onFirstByte(): void {
    this.#stage = 'head';
    this.#firstByteMs ??= this.#elapsedMs();
  }

  onHead(status: number, rawHeaders: readonly (Buffer | string)[]): void {
    this.#stage = 'body';
    const headers = pairsOf(rawHeaders);
    this.#head = { status, headers };
    if (this.#request.method === 'HEAD' || status === 204 || status === 304) return;
    const announced = Number(headerOf(headers, 'content-length') ?? 0);
    if (announced > bodyLimitBytes) this.#giveUp(tooLarge(this.#request.origin, `${announced} bytes announced`));
  }

  onData(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
    if (this.#bytes > bodyLimitBytes) this.#giveUp(tooLarge(this.#request.origin, 'more was still coming'));
  }

  onEnd(): void {
    this.#settle(undefined);
  }

  onBroken(stage: WireStage, error: Error): void {
    const { origin } = this.#request;
    this.#settle(
      wireFault(error, {
        origin,
        baseUrlFrom: this.#options.baseUrlFrom,
        stage,
        status: this.#head?.status,
        bytes: this.#bytes,
      }),
    );
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonicMs() - this.#options.takenUpMs;
  }

  #giveUp(fault: Fault): void {
    if (this.#done) return;
    this.#settle(fault);
    this.#abort?.();
  }

  #settle(fault: Fault | undefined): void {
    if (this.#done) return;
    this.#done = true;
    this.#stopTimer?.();
    this.#options.signal?.removeEventListener('abort', this.#onCancel);
    const totalMs = this.#elapsedMs();
    const bodyMs = fault ? undefined : totalMs;
    const timings = { connectMs: this.#connectMs, firstByteMs: this.#firstByteMs, bodyMs, totalMs };
    this.#resolve({ head: this.#head, bytes: joined(this.#chunks), fault, timings });
  }

  #timedOut(): Fault {
    const address = addressOf(this.#request.origin);
    const seconds = this.#options.timeoutMs / 1000;
    if (this.#stage === 'connect') return faultOf('EXECUTOR_TIMEOUT_CONNECT', { address, seconds });
    const seen = this.#stage === 'sent' ? 'not one byte' : 'it stopped in the header lines';
    if (!this.#head) return faultOf('EXECUTOR_TIMEOUT_HEADERS', { address, seconds, seen });
    return faultOf('EXECUTOR_TIMEOUT_BODY', { address, seconds, status: this.#head.status, bytes: this.#bytes });
  }

  #cancelled(): Fault {
    const waiting = this.#head ? 'while its answer was arriving' : 'while waiting for the answer';
    return faultOf('EXECUTOR_RUN_CANCELLED', {
      when: this.#stage === 'connect' ? 'before anything was sent' : waiting,
    });
  }
}

/** The fault of a body over {@link bodyLimitBytes}; `found` says what was found. */
export function tooLarge(origin: string, found: string): Fault {
  const limit = `${bodyLimitBytes / 1_048_576} MiB`;
  return faultOf('EXECUTOR_RESPONSE_TOO_LARGE', { address: addressOf(origin), limit, found });
}

/** The value of the first header line `name` (lowercase); undefined when there is none. */
export function headerOf(headers: HeaderList, name: string): string | undefined {
  return headers.find(([key]) => key.length === name.length && key.toLowerCase() === name)?.[1];
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first, ...rest] = chunks;
  if (first === undefined) return Buffer.alloc(0);
  return rest.length === 0 ? first : Buffer.concat(chunks);
}

/** Header bytes are Latin-1 (RFC 9112 section 2.2 lets a reader decide). */
function pairsOf(raw: readonly (Buffer | string)[]): HeaderList {
  const text = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < text.length; at += 2) pairs.push([text[at] ?? '', text[at + 1] ?? '']);
  return pairs;
}

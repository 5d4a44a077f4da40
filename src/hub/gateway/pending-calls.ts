/**
 * Calls whose server asks the caller a question as in older eras. The call stays pending, the caller gets an
 * `input_required` result as in the newest era, and the call continues when the answers arrive with the retry.
 */
import type { InputRequests } from '@modelcontextprotocol/server';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import type { UpstreamQuestion } from '../upstream/upstream-call.ts';

/** A result, complete or `input_required`. */
export type McpResult = Record<string, unknown>;

/** One request of the caller: the call itself or a retry with answers. */
export type CallerExchange = {
  readonly signal: AbortSignal;
  onProgress: ((progress: Record<string, unknown>) => void) | undefined;
  onLog: ((message: Record<string, unknown>) => void) | undefined;
};

type OpenQuestion = {
  readonly question: UpstreamQuestion;
  readonly answer: PromiseWithResolvers<Record<string, unknown>>;
};

const inputTimeoutMs = 5 * 60_000;
const maxPendingCalls = 2048;
/** Per person, so that one person cannot use up the capacity. */
const maxPerPerson = 64;
const maxPerOwner = 16;

/** The only caller that may continue a pending call. */
export type PendingCallOwner = {
  readonly personId: string;
  readonly key: string;
  /** Digest of the call's arguments: a decision of the policy does not hold for others. */
  readonly argumentsDigest: string;
};

/** A call that may become pending; `exchange` is the caller's current request. */
export class PendingCall {
  readonly owner: PendingCallOwner;
  readonly controller = new AbortController();
  exchange: CallerExchange;
  #result: Promise<McpResult> = Promise.resolve({});
  readonly #openQuestions = new Map<string, OpenQuestion>();
  #nextQuestion = Promise.withResolvers<void>();
  #questionCount = 0;

  /** Called when the call starts to wait. */
  readonly onWaiting: () => void;

  constructor(owner: PendingCallOwner, exchange: CallerExchange, onWaiting: () => void) {
    this.owner = owner;
    this.exchange = exchange;
    this.onWaiting = onWaiting;
  }

  start(work: (pending: PendingCall) => Promise<McpResult>): void {
    this.#result = work(this);
    // Nobody will answer open questions after the call has ended, so reject them.
    const rejectOpenQuestions = (): void => {
      for (const { answer } of this.#openQuestions.values()) answer.reject(new Error('the call has ended'));
    };
    this.#result.then(rejectOpenQuestions, rejectOpenQuestions);
  }

  /** Resolves when the answer arrives with a retry. */
  askCaller(question: UpstreamQuestion): Promise<Record<string, unknown>> {
    this.#questionCount += 1;
    const answer = Promise.withResolvers<Record<string, unknown>>();
    answer.promise.catch(() => {});
    this.#openQuestions.set(`q${this.#questionCount}`, { question, answer });
    this.#nextQuestion.resolve();
    return answer.promise;
  }

  /** The same for a call that nothing else ends: rejects when it is abandoned. */
  askUntilAbandoned(question: UpstreamQuestion): Promise<Record<string, unknown>> {
    const { signal } = this.controller;
    const abandoned = Promise.withResolvers<never>();
    const onAbandoned = (): void => abandoned.reject(signal.reason);
    signal.addEventListener('abort', onAbandoned, { once: true });
    if (signal.aborted) onAbandoned();
    return Promise.race([this.askCaller(question), abandoned.promise]);
  }

  resolveQuestions(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, response] of Object.entries(responses)) {
      if (typeof response === 'object' && response !== null)
        this.#openQuestions.get(key)?.answer.resolve(isObject(response) ? response : { ...response });
      this.#openQuestions.delete(key);
    }
    if (this.#openQuestions.size === 0) this.#nextQuestion = Promise.withResolvers<void>();
  }

  /** Waits for the result, or resolves to undefined when the server asks a question. */
  async waitForNext(): Promise<McpResult | undefined> {
    const { signal } = this.exchange;
    const onCallerAborted = (): void => this.controller.abort(signal.reason);
    signal.addEventListener('abort', onCallerAborted);
    if (signal.aborted) onCallerAborted();
    try {
      return await Promise.race([this.#result, this.#nextQuestion.promise.then(() => undefined)]);
    } finally {
      signal.removeEventListener('abort', onCallerAborted);
    }
  }

  getInputRequests(): InputRequests {
    const openRequests = [...this.#openQuestions].map(([key, { question }]) => {
      const { _meta, ...params } = question.params;
      return [key, { method: question.method, params }];
    });
    return Object.fromEntries(openRequests);
  }
}

export class PendingCalls {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #random: Pick<Random, 'token'>;
  readonly #pending = new Map<string, { readonly call: PendingCall; readonly cancel: () => void }>();

  constructor(clock: Pick<Clock, 'after'>, random: Pick<Random, 'token'>) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Runs `work` and returns its result or its questions; `onWaiting` is called before these. */
  start(
    owner: PendingCallOwner,
    exchange: CallerExchange,
    onWaiting: () => void,
    work: (pending: PendingCall) => Promise<McpResult>,
  ): Promise<McpResult> {
    const call = new PendingCall(owner, exchange, onWaiting);
    call.start(work);
    return this.#next(call);
  }

  /** True for a state issued here; only its owner may continue the call. */
  isOwnState(state: string | undefined): state is string {
    return state?.startsWith('vph.') === true;
  }

  /** Continues a pending call. Throws HUB_INPUT_UNKNOWN. */
  async resume(
    owner: PendingCallOwner,
    exchange: CallerExchange,
    state: string,
    responses: Readonly<Record<string, unknown>>,
  ): Promise<McpResult> {
    const pending = this.#pending.get(state);
    const startedBy = pending?.call.owner;
    if (!pending || startedBy?.key !== owner.key || startedBy.argumentsDigest !== owner.argumentsDigest)
      throw vpError('HUB_INPUT_UNKNOWN', {});
    pending.cancel();
    this.#pending.delete(state);
    pending.call.exchange = exchange;
    pending.call.resolveQuestions(responses);
    return this.#next(pending.call);
  }

  close(): void {
    for (const { call, cancel } of this.#pending.values()) {
      cancel();
      call.controller.abort(new Error('shutting down'));
    }
    this.#pending.clear();
  }

  async #next(call: PendingCall): Promise<McpResult> {
    const result = await call.waitForNext();
    if (result !== undefined) return result;
    call.onWaiting();
    return { resultType: 'input_required', inputRequests: call.getInputRequests(), requestState: this.#register(call) };
  }

  #register(call: PendingCall): string {
    // It is compared later, when the arguments are not held any more.
    const { personId, key, argumentsDigest: _digest } = call.owner;
    this.#endOldestIfFull(maxPerOwner, ({ owner }) => owner.key === key);
    this.#endOldestIfFull(maxPerPerson, ({ owner }) => owner.personId === personId);
    this.#endOldestIfFull(maxPendingCalls, () => true);
    const state = `vph.${this.#random.token(24)}`;
    const cancel = this.#clock.after(inputTimeoutMs, () => {
      this.#pending.delete(state);
      call.controller.abort(new Error('the input did not arrive in time'));
    });
    this.#pending.set(state, { call, cancel });
    return state;
  }

  /** A caller that never comes back must not be locked out by the calls that it left. */
  #endOldestIfFull(max: number, matches: (call: PendingCall) => boolean): void {
    const matching = [...this.#pending].filter(([, { call }]) => matches(call));
    const [oldest] = matching;
    if (!oldest || matching.length < max) return;
    const [state, { call, cancel }] = oldest;
    this.#pending.delete(state);
    cancel();
    call.controller.abort(new Error('newer calls are waiting for input'));
  }
}

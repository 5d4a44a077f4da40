/**
 * Calls whose server asks something in the midst of them, in the way of the older eras: the call is held, the caller gets an
 * `input_required` result as in the newest era, and the call goes on when the answers come with its retry.
 */
import { type InputRequests, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { Question } from '../upstream/call.ts';

/** A result, as it is or as an `input_required` one. */
export type HeldResult = Record<string, unknown>;

/** One exchange with the caller: the call itself, or a retry with answers. */
export type Leg = {
  readonly signal: AbortSignal;
  onProgress: ((progress: Record<string, unknown>) => void) | undefined;
  onLog: ((message: Record<string, unknown>) => void) | undefined;
};

type Waiting = { readonly question: Question; readonly answer: PromiseWithResolvers<Record<string, unknown>> };

const patienceMs = 5 * 60_000;
const mostHeld = 2048;
/** Of one person: nobody takes the room of the others. */
const mostOfPerson = 64;
const mostOfOne = 16;

/** Who alone may go on with a held call. */
export type HeldOwner = {
  readonly personId: string;
  readonly key: string;
  /** A digest of what it was made with: what was decided and told of those holds for no others. */
  readonly argumentsDigest: string;
};

/** A call that may be held; `leg` is who hears of it at the moment. */
export class HeldCall {
  readonly owner: HeldOwner;
  readonly abort = new AbortController();
  leg: Leg;
  #result: Promise<HeldResult> = Promise.resolve({});
  readonly #waiting = new Map<string, Waiting>();
  #asked = Promise.withResolvers<void>();
  #count = 0;

  constructor(owner: HeldOwner, leg: Leg) {
    this.owner = owner;
    this.leg = leg;
  }

  begin(work: (held: HeldCall) => Promise<HeldResult>): void {
    this.#result = work(this);
    // What is still asked then nobody will answer: whoever waits for it must not wait for ever.
    const over = (): void => {
      for (const { answer } of this.#waiting.values()) answer.reject(new Error('the call is over'));
    };
    this.#result.then(over, over);
  }

  /** Asks the caller; resolves when the answer came with a retry. */
  ask(question: Question): Promise<Record<string, unknown>> {
    this.#count += 1;
    const answer = Promise.withResolvers<Record<string, unknown>>();
    answer.promise.catch(() => {});
    this.#waiting.set(`q${this.#count}`, { question, answer });
    this.#asked.resolve();
    return answer.promise;
  }

  answer(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, response] of Object.entries(responses)) {
      if (typeof response === 'object' && response !== null) this.#waiting.get(key)?.answer.resolve({ ...response });
      this.#waiting.delete(key);
    }
    if (this.#waiting.size === 0) this.#asked = Promise.withResolvers<void>();
  }

  /** Waits for the result or a question; `undefined` means the latter. */
  async next(): Promise<HeldResult | undefined> {
    const { signal } = this.leg;
    const left = (): void => this.abort.abort(signal.reason);
    signal.addEventListener('abort', left);
    if (signal.aborted) left();
    try {
      return await Promise.race([this.#result, this.#asked.promise.then(() => undefined)]);
    } finally {
      signal.removeEventListener('abort', left);
    }
  }

  /** What the caller is asked. */
  requests(): InputRequests {
    const open = [...this.#waiting].map(([key, { question }]) => {
      const { _meta, ...params } = question.params;
      return [key, { method: question.method, params }];
    });
    return Object.fromEntries(open);
  }
}

/** The calls that wait for their callers. */
export class HeldCalls {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #random: Pick<Random, 'token'>;
  readonly #held = new Map<string, { readonly call: HeldCall; readonly cancel: () => void }>();

  constructor(clock: Pick<Clock, 'after'>, random: Pick<Random, 'token'>) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Runs `work`; its result, or what it asks. */
  begin(owner: HeldOwner, leg: Leg, work: (held: HeldCall) => Promise<HeldResult>): Promise<HeldResult> {
    const call = new HeldCall(owner, leg);
    call.begin(work);
    return this.#next(call);
  }

  /** True for a state that this gave out; only its owner may go on with it. */
  isOwn(state: string | undefined): state is string {
    return state?.startsWith('vph.') === true;
  }

  /** Goes on with a held call. Throws HUB_INPUT_UNKNOWN. */
  async resume(
    owner: HeldOwner,
    leg: Leg,
    state: string,
    responses: Readonly<Record<string, unknown>>,
  ): Promise<HeldResult> {
    const held = this.#held.get(state);
    const begun = held?.call.owner;
    if (!held || begun?.key !== owner.key || begun.argumentsDigest !== owner.argumentsDigest)
      throw vpError('HUB_INPUT_UNKNOWN', {});
    held.cancel();
    this.#held.delete(state);
    held.call.leg = leg;
    held.call.answer(responses);
    return this.#next(held.call);
  }

  close(): void {
    for (const { call, cancel } of this.#held.values()) {
      cancel();
      call.abort.abort(new Error('shutting down'));
    }
    this.#held.clear();
  }

  async #next(call: HeldCall): Promise<HeldResult> {
    const result = await call.next();
    if (result !== undefined) return result;
    return { resultType: 'input_required', inputRequests: call.requests(), requestState: this.#hold(call) };
  }

  #hold(call: HeldCall): string {
    const owners = [...this.#held.values()].map((held) => held.call.owner);
    const ofPerson = owners.filter(({ personId }) => personId === call.owner.personId);
    const ofOwner = ofPerson.filter(({ key }) => key === call.owner.key);
    if (owners.length >= mostHeld || ofPerson.length >= mostOfPerson || ofOwner.length >= mostOfOne) {
      call.abort.abort(new Error('too many calls wait for input'));
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'too many calls wait for input; finish those first');
    }
    const state = `vph.${this.#random.token(24)}`;
    const cancel = this.#clock.after(patienceMs, () => {
      this.#held.delete(state);
      call.abort.abort(new Error('the input did not come'));
    });
    this.#held.set(state, { call, cancel });
    return state;
  }
}

/**
 * Judges the check of `until` after each message. A list that grows is not judged as a whole each time where its newest message decides:
 * 1,000 messages with 350 values each took 175 million of them.
 */

import type { Json } from '../../check/json/json.ts';
import { emptyObservation, type Observation } from '../../check/observation.ts';
import type { ScenarioCheck } from '../../scenario/scenario.ts';
import { holdsSafely } from '../runs/judge-safely.ts';

/** What the check of `until` needs besides the messages. */
export type JudgeContext = Pick<Observation, 'conceal' | 'validateSchema'>;

/**
 * Characters and estimated bytes of values that are judged again, of all messages together. Reached by 170 lists of the most values that
 * are parsed (5 s of processor time), or by 1,000 messages of 8 KB.
 */
const maxJudgedAgain = 4 * 1024 ** 3;

export class MessageJudge {
  readonly #entry: ScenarioCheck | undefined;
  readonly #context: JudgeContext;
  readonly #readNowMs: () => number;
  #judgedAgain = 0;

  constructor(entry: ScenarioCheck | undefined, context: JudgeContext, readNowMs: () => number) {
    this.#entry = entry;
    this.#context = context;
    this.#readNowMs = readNowMs;
  }

  /** Whether the check holds for `messages`, to which the last one was added; it did not before. `size` is that of all of them. */
  judge(messages: readonly Json[], size: number): boolean | 'exhausted' {
    if (!this.#entry) return false;
    const { check, definition } = this.#entry;
    const read = definition.getElementsRead?.(check);
    if (read === 'each') return this.#holds(messages.slice(-1));
    if (typeof read === 'number') return messages.length === read + 1 && this.#holds(messages);
    if (read === undefined) this.#judgedAgain += size;
    return this.#judgedAgain > maxJudgedAgain ? 'exhausted' : this.#holds(messages);
  }

  #holds(value: Json): boolean {
    const entry = this.#entry;
    const observation: Observation = {
      ...emptyObservation,
      ...this.#context,
      status: 200,
      nowMs: this.#readNowMs(),
      body: { kind: 'json', value },
    };
    return entry !== undefined && holdsSafely(() => entry.definition.judge(entry.check, observation).passed);
  }
}

/** Collects the messages of a stream until its check holds, their number is reached, their time is over, or the stream ends. */
import { isList, isObjectValue, type Json } from '../../check/json/json.ts';
import { readJson } from '../../check/json/read-json.ts';
import { findConflictingKey } from '../../check/json/repeated-keys.ts';
import type { ObservedStream } from '../../check/observation.ts';
import { receiveLimits } from '../../scenario/receive.ts';
import type { Receive } from '../../scenario/scenario.ts';

/** Judges the check of `until` on the messages so far. */
export type JudgeMessages = (messages: readonly Json[]) => boolean;

type Ending = 'check' | 'count' | 'limit' | ReceiveEnding;

/** Why nothing further comes; `code …` and `status …`: what a target gave in place of a normal closing. */
export type ReceiveEnding = 'time' | 'end' | 'cut' | `code ${number}` | `status ${string}`;

export class MessageCollector {
  readonly receive: Receive;
  readonly #holds: JudgeMessages;
  readonly #texts: string[] = [];
  readonly #values: Json[] = [];
  #ending: Ending | undefined;

  constructor(receive: Receive, holds: JudgeMessages) {
    this.receive = receive;
    this.#holds = holds;
  }

  get isDone(): boolean {
    return this.#ending !== undefined;
  }

  /** `text` is JSON. Messages after the last one that was waited for are not taken. */
  add(text: string): void {
    if (this.isDone) return;
    if (this.#texts.length >= receiveLimits.maxMessages) {
      this.#ending = 'limit';
      return;
    }
    this.#texts.push(text);
    const { stop } = this.receive;
    if (stop === 'check') {
      const value = parseMessage(text);
      if (value !== undefined) this.#values.push(value);
      if (value !== undefined && this.#holds(this.#values)) this.#ending = 'check';
    } else if (stop === 'count' && this.#texts.length === this.receive.count) this.#ending = 'count';
  }

  /** The first ending stays. */
  end(ending: ReceiveEnding): void {
    this.#ending ??= ending;
  }

  /** The list of the messages, as JSON. */
  get text(): string {
    return `[${this.#texts.join(',')}]`;
  }

  toObservedStream(): ObservedStream {
    const { stop, stream } = this.receive;
    const { length } = this.#texts;
    const count = length === 1 ? `1 ${stream.slice(0, -1)}` : `${length} ${stream}`;
    const texts: Readonly<Record<string, string>> = {
      check: count,
      count,
      time: `${count} in the time`,
      end: `the stream ended after ${count}`,
      cut: `the stream ended within a message, after ${count}`,
      limit: `more than ${count}, which is the limit`,
    };
    const ending = this.#ending ?? 'cut';
    const closed = `the target ${ending.startsWith('status') ? 'ended the call' : 'closed the connection'} with ${ending}, after ${count}`;
    return { isMet: ending === stop, ending: texts[ending] ?? closed };
  }
}

/** Undefined for a message that is nested too deep: then the whole list is. */
function parseMessage(text: string): Json | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** The JSON of a message: the text itself where it is JSON that every reader sees the same, otherwise a string. */
export function toMessageJson(text: string): string {
  try {
    const value = readJson(text);
    const isAmbiguous = (isList(value) || isObjectValue(value)) && findConflictingKey(text, value) !== undefined;
    return isAmbiguous ? JSON.stringify(text) : text;
  } catch {
    return JSON.stringify(text);
  }
}

/** Collects the messages of a stream until its check holds, their number is reached, their time is over, or the stream ends. */
import { isList, isObjectValue, type Json } from '../../check/json/json.ts';
import { estimateParsedBytes, exceedsParsedBytes, formatMaxParsed } from '../../check/json/json-size.ts';
import { readJson } from '../../check/json/read-json.ts';
import { findConflictingKey } from '../../check/json/repeated-keys.ts';
import type { ObservedStream } from '../../check/observation.ts';
import { receiveLimits } from '../../scenario/receive.ts';
import type { Receive } from '../../scenario/scenario.ts';
import type { MessageJudge } from './message-judge.ts';
import { MessageList, type StreamMessages } from './message-list.ts';

/** `text` is JSON, and `value` what it was parsed into, where that is known already. `around` is what stands before and after the text. */
export type StreamMessage = {
  readonly text: string;
  readonly value?: Json | undefined;
  readonly around?: readonly [before: string, after: string];
};

/** Of the values of all messages, which are in memory beside what is still arriving: less than of a body. */
const maxValuesBytes = 12 * 1024 * 1024;

type Ending = 'check' | 'count' | 'limit' | 'size' | 'exhausted' | ReceiveEnding;

/** Why nothing further comes; `code …` and `status …`: what a target gave in place of a normal closing. */
export type ReceiveEnding = 'time' | 'end' | 'cut' | 'unreadable' | `code ${number}` | `status ${string}`;

export class MessageCollector {
  readonly receive: Receive;
  readonly #judge: MessageJudge;
  readonly #list = new MessageList();
  #parsedBytes = 0;
  #ending: Ending | undefined;

  constructor(receive: Receive, judge: MessageJudge) {
    this.receive = receive;
    this.#judge = judge;
  }

  get isDone(): boolean {
    return this.#ending !== undefined;
  }

  /** Messages after the last one that was waited for are not taken. */
  add({ text, value, around = ['', ''] }: StreamMessage): void {
    if (this.isDone) return;
    this.#parsedBytes += estimateParsedBytes(text);
    if (this.#parsedBytes > maxValuesBytes) {
      this.#ending = 'size';
      return;
    }
    const { values, sizeBytes } = this.#list;
    if (values.length >= receiveLimits.maxMessages) {
      this.#ending = 'limit';
      return;
    }
    this.#list.add(value ?? readJson(text), [around[0], text, around[1]]);
    const { stop } = this.receive;
    if (stop === 'check') {
      const holds = this.#judge.judge(values, sizeBytes + this.#parsedBytes);
      if (holds !== false) this.#ending = holds === true ? 'check' : holds;
    } else if (stop === 'count' && values.length === this.receive.count) this.#ending = 'count';
  }

  /** The first ending stays. */
  end(ending: ReceiveEnding): void {
    this.#ending ??= ending;
  }

  /** The messages so far, as the body of the response. */
  get messages(): StreamMessages {
    return this.#list;
  }

  toObservedStream(): ObservedStream {
    const { stop, stream } = this.receive;
    const { length } = this.#list.values;
    const count = length === 1 ? `1 ${stream.slice(0, -1)}` : `${length} ${stream}`;
    const texts: Readonly<Record<string, string>> = {
      check: count,
      count,
      time: `${count} in the time`,
      end: `the stream ended after ${count}`,
      cut: `the stream ended within a message, after ${count}`,
      unreadable: `what came after ${count} cannot be read as one of its ${stream}: it has too many lines`,
      size: `what came after ${count} is too large: ${formatMaxParsed(maxValuesBytes)}`,
      limit: `more than ${count}, which is the limit`,
      exhausted: `${count}, which are too large to judge the whole list again with each`,
    };
    const ending = this.#ending ?? 'cut';
    const closed = `the target ${ending.startsWith('status') ? 'ended the call' : 'closed the connection'} with ${ending}, after ${count}`;
    return { isMet: ending === stop, ending: texts[ending] ?? closed };
  }
}

/** A message as JSON: the text itself where it is JSON that every reader sees the same, otherwise a string. */
export function toStreamMessage(text: string): Required<Pick<StreamMessage, 'text' | 'value'>> {
  // The collector refuses it.
  if (exceedsParsedBytes(text, maxValuesBytes)) return { text, value: null };
  try {
    const value = readJson(text);
    const isAmbiguous = (isList(value) || isObjectValue(value)) && findConflictingKey(text, value) !== undefined;
    if (!isAmbiguous) return { text, value };
  } catch {
    // It is no JSON, or nested too deep.
  }
  return { text: JSON.stringify(text), value: text };
}

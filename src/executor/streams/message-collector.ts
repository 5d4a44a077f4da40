/** Collects the messages of a stream until its check holds, their number is reached, their time is over, or the stream ends. */
import { isList, isObjectValue, type Json } from '../../check/json/json.ts';
import { estimateParsedBytes, formatMaxParsed, maxParsedBytes } from '../../check/json/json-size.ts';
import { readJson } from '../../check/json/read-json.ts';
import { findConflictingKey } from '../../check/json/repeated-keys.ts';
import type { ObservedStream } from '../../check/observation.ts';
import { receiveLimits } from '../../scenario/receive.ts';
import type { Receive } from '../../scenario/scenario.ts';

/** `value` where it is known already: a large message is parsed once. */
export type StreamMessage = { readonly text: string; readonly value?: Json | undefined };

/** Judges the check of `until` on the messages so far. */
export type JudgeMessages = (messages: readonly Json[]) => boolean;

type Ending = 'check' | 'count' | 'limit' | 'size' | ReceiveEnding;

/** Why nothing further comes; `code …` and `status …`: what a target gave in place of a normal closing. */
export type ReceiveEnding = 'time' | 'end' | 'cut' | 'unreadable' | `code ${number}` | `status ${string}`;

export class MessageCollector {
  readonly receive: Receive;
  readonly #holds: JudgeMessages;
  readonly #texts: string[] = [];
  readonly #values: Json[] = [];
  #parsedBytes = 0;
  #ending: Ending | undefined;

  constructor(receive: Receive, holds: JudgeMessages) {
    this.receive = receive;
    this.#holds = holds;
  }

  get isDone(): boolean {
    return this.#ending !== undefined;
  }

  /** `text` is JSON, and `value` what it was parsed into. Messages after the last one that was waited for are not taken. */
  add({ text, value: known }: StreamMessage): void {
    if (this.isDone) return;
    this.#parsedBytes += estimateParsedBytes(text);
    if (this.#parsedBytes > maxParsedBytes) {
      this.#ending = 'size';
      return;
    }
    if (this.#texts.length >= receiveLimits.maxMessages) {
      this.#ending = 'limit';
      return;
    }
    this.#texts.push(text);
    const { stop } = this.receive;
    if (stop === 'check') {
      const value = known ?? parseMessage(text);
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
      unreadable: `what came after ${count} cannot be read as one of its ${stream}: it has too many lines`,
      size: `what came after ${count} is too large: ${formatMaxParsed()}`,
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

/** A message as JSON: the text itself where it is JSON that every reader sees the same, otherwise a string. */
export function toStreamMessage(text: string): Required<StreamMessage> {
  // The collector refuses it.
  if (estimateParsedBytes(text) > maxParsedBytes) return { text, value: null };
  const asText = { text: JSON.stringify(text), value: text };
  try {
    const value = readJson(text);
    const isAmbiguous = (isList(value) || isObjectValue(value)) && findConflictingKey(text, value) !== undefined;
    return isAmbiguous ? asText : { text, value };
  } catch {
    return asText;
  }
}

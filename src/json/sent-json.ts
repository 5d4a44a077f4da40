/** A JSON value that is sent on as the text that came. */
import { isObject } from './json-object.ts';

const mark = '[a value of vp]';

export class SentJson {
  readonly text: string;
  readonly #value: unknown;

  /** `value` is what the text was parsed into, with its numbers as they were written. White space between lines becomes spaces: some transports end messages with a line. */
  constructor(text: string, value: unknown) {
    this.text = text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]+/g, ' ') : text;
    this.#value = value;
  }

  toJSON(): unknown {
    return this.#value;
  }
}

/** As `JSON.stringify`, but with the text of arguments that are a {@link SentJson}. */
export function stringifyRequest(message: Readonly<Record<string, unknown>>): string {
  const { params: sentParams } = message;
  if (!isObject(sentParams) || !(sentParams.arguments instanceof SentJson)) return JSON.stringify(message);
  const { arguments: args, ...params } = sentParams;
  const parts = JSON.stringify({ ...message, params: { ...params, arguments: mark } }).split(JSON.stringify(mark));
  // Another text of the message is equal to the mark.
  return parts.length === 2 ? `${parts[0]}${args.text}${parts[1]}` : JSON.stringify(message);
}

/** Reads a response of server-sent events into messages. */
import { findHeaderValue, type HeaderList } from '../../run/evidence.ts';
import { createByteEventReader } from '../../streams/event-reader.ts';
import { type MessageCollector, toStreamMessage } from './message-collector.ts';

const emptyLine = Buffer.from('\n\n');

/** Reads the body of a response as it arrives. */
export class EventStreamReader {
  readonly collector: MessageCollector;
  readonly #feed: (bytes: Uint8Array) => void;
  #isStream = false;
  #isEnding = false;
  #isCut = false;

  constructor(collector: MessageCollector) {
    this.collector = collector;
    this.#feed = createByteEventReader(({ id, event, data }) => {
      if (this.#isEnding) {
        this.#isCut = true;
        return;
      }
      const fields = { event: event ?? 'message', ...(id === undefined ? {} : { id }) };
      const { text, value } = toStreamMessage(data);
      const before = `${JSON.stringify(fields).slice(0, -1)},"data":`;
      collector.add({ text, value: { ...fields, data: value }, around: [before, '}'] });
    });
  }

  get isStream(): boolean {
    return this.#isStream;
  }

  /** How long messages are received; undefined for the time of the whole response. */
  get limitMs(): number | undefined {
    const { receive } = this.collector;
    return receive.stop === 'end' ? undefined : receive.limitMs;
  }

  /** True where the body is a stream of events; another response is read as usual. */
  onHead(status: number, headers: HeaderList): boolean {
    const type = findHeaderValue(headers, 'content-type') ?? '';
    const encoding = findHeaderValue(headers, 'content-encoding') ?? 'identity';
    this.#isStream = status === 200 && /^text\/event-stream\s*(?:;|$)/i.test(type) && encoding === 'identity';
    return this.#isStream;
  }

  /** True where no further byte is needed. */
  onData(chunk: Uint8Array): boolean {
    try {
      this.#feed(chunk);
    } catch {
      this.collector.end('unreadable');
    }
    return this.collector.isDone;
  }

  onTimeOver(): void {
    this.collector.end('time');
  }

  /** An event without the empty line after it was not sent completely (WHATWG HTML, 9.2.6). */
  onEnd(): void {
    if (this.collector.isDone) return;
    this.#isEnding = true;
    try {
      this.#feed(emptyLine);
    } catch {
      this.#isCut = true;
    }
    this.collector.end(this.#isCut ? 'cut' : 'end');
  }
}

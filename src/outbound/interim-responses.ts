/**
 * A server may send any number of interim responses (1xx) before the final one, 100 Continue among them, and a client must accept
 * them although it did not expect any (RFC 9110 section 15.2). undici destroys the connection at a 100. Therefore the bytes that
 * it reads from a socket are followed as far as the status of the final response, and a 100 becomes 102 (Processing), which
 * undici skips like every other interim response.
 */
import type { Socket } from 'node:net';

/** The code of the error that ends a connection with too many interim responses. */
export const interimFloodCode = 'INTERIM_RESPONSE_FLOOD';
/** The same for a response of another protocol. */
export const otherProtocolCode = 'OTHER_PROTOCOL';

/** Before one final response. */
export const maxInterimResponses = 100;
/** Size of all interim responses before one final response. */
const maxInterimBytes = 65_536;
const [zero, one, two, lineFeed, carriageReturn, letterI, letterR] = Buffer.from('012\n\rIR');
const statusStart = Buffer.from('HTTP/1.1 ');

/** For a socket that undici is about to read: it reads by `read()`, and writes a request only after the last response. */
export function acceptInterimResponses(socket: Socket): void {
  const filter = new InterimResponseFilter();
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  Object.assign(socket, {
    read(size?: number): unknown {
      const chunk: unknown = read(size);
      const error = chunk instanceof Buffer ? filter.follow(chunk) : undefined;
      if (!error) return chunk;
      socket.destroy(error);
      return null;
    },
    write(...parameters: Parameters<typeof write>): boolean {
      filter.restart();
      return write(...parameters);
    },
  });
}

function createError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

/** What came is not HTTP/1.1 as this client asks for it. */
export function createProtocolError(message: string): Error {
  return createError(message, otherProtocolCode);
}

/** Follows the bytes of responses; a state machine, because a chunk may end anywhere. */
class InterimResponseFilter {
  #state: 'status line' | 'interim head' | 'final' = 'final';
  /** In the status line: bytes of it. In an interim head: line feeds in a row. */
  #position = 0;
  #responses = 0;
  #bytes = 0;
  #isHundred = false;
  #isOtherProtocol = false;

  /** A request leaves: its response comes next. */
  restart(): void {
    if (this.#state !== 'final') return;
    this.#state = 'status line';
    this.#position = 0;
    this.#responses = 0;
    this.#bytes = 0;
  }

  /** Changes a 100 in `chunk`. Returns why nothing more may be read: too many interim responses, or another protocol. */
  follow(chunk: Buffer): Error | undefined {
    for (let index = 0; index < chunk.length && this.#state !== 'final'; index += 1) {
      if (this.#state === 'status line') this.#followStatusLine(chunk, index);
      else this.#followHead(chunk[index]);
    }
    if (this.#isOtherProtocol) return createProtocolError('it does not begin with HTTP/1');
    if (this.#responses <= maxInterimResponses && this.#bytes <= maxInterimBytes) return undefined;
    const limits = `more than ${maxInterimResponses} interim responses (1xx), or ${maxInterimBytes} bytes of them`;
    return createError(limits, interimFloodCode);
  }

  #followStatusLine(chunk: Buffer, index: number): void {
    const byte = chunk[index];
    const position = this.#position - statusStart.length;
    // The minor version may be any; everything else that is not a status line is for undici's parser to refuse.
    const isExpected =
      position < 0 ? this.#position === 7 || byte === statusStart[this.#position] : position > 0 || byte === one;
    // undici's parser takes RTSP, ICE and HTTP/2.0 in text for HTTP/1.1.
    const isOther = this.#position === 0 ? byte === letterR || byte === letterI : this.#position === 5 && byte === two;
    if (isOther) this.#isOtherProtocol = true;
    this.#position += 1;
    if (!isExpected) this.#state = 'final';
    else if (position === 1) this.#isHundred = byte === zero;
    else if (position === 2) {
      if (this.#isHundred && byte === zero && two !== undefined) chunk[index] = two;
      this.#responses += 1;
      this.#bytes += this.#position;
      this.#state = 'interim head';
      this.#position = 0;
    }
  }

  #followHead(byte: number | undefined): void {
    this.#bytes += 1;
    if (byte === carriageReturn) return;
    this.#position = byte === lineFeed ? this.#position + 1 : 0;
    if (this.#position < 2) return;
    this.#state = 'status line';
    this.#position = 0;
  }
}

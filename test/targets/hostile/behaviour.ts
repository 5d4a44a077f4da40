/** What a hostile target does with its connection, and how such behaviours are written as rows of a table. */
import type { Socket } from 'node:net';

export const ok = 'HTTP/1.1 200 OK\r\n';
export const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
export const empty = `${ok}Content-Length: 0\r\n\r\n`;

export const outcomes = {
  notHttp: 'EXECUTOR_TARGET_NOT_HTTP',
  closed: 'EXECUTOR_TARGET_CLOSED',
  brokenOff: 'EXECUTOR_BODY_BROKEN_OFF',
  headersTimeout: 'EXECUTOR_TIMEOUT_HEADERS',
  bodyTimeout: 'EXECUTOR_TIMEOUT_BODY',
  headTooLarge: 'EXECUTOR_TARGET_HEAD_TOO_LARGE',
  tooLarge: 'EXECUTOR_RESPONSE_TOO_LARGE',
  tlsExpected: 'EXECUTOR_TLS_EXPECTED',
} as const;

/**
 * `expire` is called when the target will not do anything more: only the timeout ends the run then. `request` is what has arrived, in
 * Latin-1.
 */
export type Respond = (socket: Socket, expire: () => void, request: string) => void;

export type HostileTarget = {
  readonly name: string;
  /** The status when the response is accepted, otherwise the code of the failure. */
  readonly outcome: number | string;
  /** `accept`: it begins with the connection, before there is a request. */
  readonly begins: 'accept' | 'request';
  /** Only the timeout of the run ends it. */
  readonly isSilent: boolean;
  readonly respond: Respond;
};

type Outcome = HostileTarget['outcome'];

export function createTarget(name: string, outcome: Outcome, respond: Respond): HostileTarget {
  const isSilent = outcome === outcomes.headersTimeout || outcome === outcomes.bodyTimeout;
  return { name, outcome, begins: 'request', isSilent, respond };
}

/** It writes `response` and closes the connection. What takes long to make is a function: most files meet few of the targets. */
export function closes(
  name: string,
  response: string | Buffer | (() => string | Buffer),
  outcome: Outcome,
): HostileTarget {
  return createTarget(`closes after ${name}`, outcome, (socket) =>
    socket.end(typeof response === 'function' ? response() : response),
  );
}

/** It writes `response` and keeps silent. */
export function stalls(name: string, response: string | Buffer, outcome: Outcome): HostileTarget {
  return createTarget(`keeps silent after ${name}`, outcome, (socket, expire) => socket.write(response, expire));
}

/** No acknowledgement says that the other process has read; with 50 ms a busy one had not. */
const readingTimeMs = 500;

/** It writes `response` and resets the connection. */
export function resets(name: string, response: string | Buffer, outcome: Outcome): HostileTarget {
  return createTarget(`resets after ${name}`, outcome, (socket) => {
    if (response.length === 0) socket.resetAndDestroy();
    // What was written must be read before the reset takes it away.
    else socket.write(response, () => setTimeout(() => socket.resetAndDestroy(), readingTimeMs));
  });
}

/** It writes `start`, then `piece` again and again; after `maxPieces` it keeps silent. */
export function repeats(
  name: string,
  { start = '', piece, maxPieces }: { start?: string | Buffer; piece: string | Buffer; maxPieces?: number },
  outcome: Outcome,
): HostileTarget {
  return createTarget(`sends ${name}`, outcome, (socket, expire) => {
    let pieces = 0;
    const writeNext = (): void => {
      pieces += 1;
      if (pieces > (maxPieces ?? Number.POSITIVE_INFINITY)) expire();
      else if (!socket.destroyed) socket.write(piece, () => setImmediate(writeNext));
    };
    socket.setNoDelay();
    socket.write(start, writeNext);
  });
}

/** It writes each byte of `response` alone, and then keeps silent. */
export function drips(name: string, response: string, outcome: Outcome): HostileTarget {
  const bytes = Buffer.from(response, 'latin1');
  return createTarget(`sends byte by byte ${name}`, outcome, (socket, expire) => {
    let position = 0;
    const writeNext = (): void => {
      position += 1;
      if (position > bytes.length) expire();
      else if (!socket.destroyed) socket.write(bytes.subarray(position - 1, position), () => setImmediate(writeNext));
    };
    socket.setNoDelay();
    writeNext();
  });
}

/** Of its own kind, from the moment of the connection. */
export function onAccept(name: string, outcome: Outcome, respond: Respond): HostileTarget {
  return { ...createTarget(name, outcome, respond), begins: 'accept' };
}

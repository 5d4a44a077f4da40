/** A loopback server with the part of PostgreSQL's protocol (version 3.0) that the client uses. */
import { createServer, type Server, type Socket } from 'node:net';

/** Responds to the statement of a query; our catalogue statements return no rows. */
export type Script = (statement: string, response: WireResponse) => void;

export type WireResponse = {
  readonly socket: Socket;
  /** Rows of text, then the end of the statement. */
  rows(columns: readonly string[], rows: readonly (readonly (string | null)[])[]): void;
  error(fields: Readonly<Record<string, string>>): void;
};

export type WireServer = {
  readonly port: number;
  /** Connections that sent at least one statement. */
  connections(): number;
  /** Simple queries and statements in order of arrival. */
  readonly statements: string[];
  /** Closes every connection, as a restart does. */
  dropAll(): void;
  close(): Promise<void>;
};

/** A message: its type, its length (itself included), its content. */
export function encodeMessage(type: string, content: Buffer | string = ''): Buffer {
  const body = Buffer.from(content);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const idle = encodeMessage('Z', 'I');

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Every column is a text (type 25). */
export function encodeRowDescription(columns: readonly string[]): Buffer {
  const fields = columns.map((name) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]),
  );
  return encodeMessage('T', Buffer.concat([int16(columns.length), ...fields]));
}

function dataRow(values: readonly (string | null)[]): Buffer {
  const parts = values.map((value) =>
    value === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
  );
  return encodeMessage('D', Buffer.concat([int16(values.length), ...parts]));
}

/** ErrorResponse: pairs of a letter and a text. */
export function encodeErrorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const all = { S: 'ERROR', ...fields };
  return encodeMessage(
    'E',
    `${Object.entries(all)
      .map(([letter, text]) => `${letter}${text}\0`)
      .join('')}\0`,
  );
}

function createWireResponse(socket: Socket): WireResponse {
  return {
    socket,
    rows(columns, rows) {
      socket.write(
        Buffer.concat([encodeRowDescription(columns), ...rows.map(dataRow), encodeMessage('C', 'SELECT\0')]),
      );
    },
    error: (fields) => socket.write(encodeErrorResponse(fields)),
  };
}

/** Responds to one message of the client. */
function serve(type: string, text: string, socket: Socket, script: Script, statements: WireServer['statements']): void {
  if (type === 'Q') {
    statements.push(text.slice(0, -1));
    socket.write(Buffer.concat([encodeMessage('C', 'OK\0'), idle]));
  } else if (type === 'P') {
    const statement = text.split('\0')[1] ?? '';
    statements.push(statement);
    socket.write(Buffer.concat([encodeMessage('1'), encodeMessage('2')]));
    if (statement.includes('pg_catalog')) createWireResponse(socket).rows(['kind', 'name'], []);
    else script(statement, createWireResponse(socket));
  } else if (type === 'S') socket.write(idle);
}

/** `handleStartup` responds to the startup message; by default every client is accepted. */
export async function startWireServer(
  script: Script,
  handleStartup: (socket: Socket) => void = (socket) =>
    socket.write(Buffer.concat([encodeMessage('R', int32(0)), idle])),
): Promise<WireServer> {
  const sockets = new Set<Socket>();
  const statements: string[] = [];
  let connections = 0;
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let pending = Buffer.alloc(0);
    let started = false;
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (;;) {
        const offset = started ? 1 : 0;
        if (pending.length < offset + 4) return;
        const end = offset + pending.readUInt32BE(offset);
        if (pending.length < end) return;
        const type = started ? pending.toString('latin1', 0, 1) : '';
        const content = pending.subarray(offset + 4, end);
        pending = pending.subarray(end);
        if (started) serve(type, content.toString(), socket, script, statements);
        else if (content.readInt32BE(0) === 80877103) socket.write('N');
        else {
          started = true;
          connections += 1;
          handleStartup(socket);
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => connections,
    statements,
    dropAll: () => {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

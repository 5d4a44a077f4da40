/** A server on loopback that speaks as much of PostgreSQL's protocol (version 3.0) as the client asks for. */
import { createServer, type Server, type Socket } from 'node:net';

/** What becomes of the statement of a query; catalogue statements of ours are answered with no rows. */
export type Script = (statement: string, answer: Answer) => void;

/** Ways to answer. */
export type Answer = {
  readonly socket: Socket;
  /** Rows of text, then the end of the statement. */
  rows(columns: readonly string[], rows: readonly (readonly (string | null)[])[]): void;
  error(fields: Readonly<Record<string, string>>): void;
};

/** A started server. */
export type WireServer = {
  readonly port: number;
  /** Connections that got as far as their first statement. */
  connections(): number;
  /** Simple queries and statements in the order of their arrival. */
  readonly statements: string[];
  /** Ends every connection, as a restart does. */
  dropAll(): void;
  close(): Promise<void>;
};

/** A message: its type, its length (itself included), its content. */
export function message(type: string, content: Buffer | string = ''): Buffer {
  const body = Buffer.from(content);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const idle = message('Z', 'I');

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
export function rowDescription(columns: readonly string[]): Buffer {
  const fields = columns.map((name) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]),
  );
  return message('T', Buffer.concat([int16(columns.length), ...fields]));
}

function dataRow(values: readonly (string | null)[]): Buffer {
  const parts = values.map((value) =>
    value === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
  );
  return message('D', Buffer.concat([int16(values.length), ...parts]));
}

/** ErrorResponse: pairs of a letter and a text. */
export function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const all = { S: 'ERROR', ...fields };
  return message(
    'E',
    `${Object.entries(all)
      .map(([letter, text]) => `${letter}${text}\0`)
      .join('')}\0`,
  );
}

function answerOn(socket: Socket): Answer {
  return {
    socket,
    rows(columns, rows) {
      socket.write(Buffer.concat([rowDescription(columns), ...rows.map(dataRow), message('C', 'SELECT\0')]));
    },
    error: (fields) => socket.write(errorResponse(fields)),
  };
}

/** Answers one message of the client. */
function serve(type: string, text: string, socket: Socket, script: Script, told: WireServer['statements']): void {
  if (type === 'Q') {
    told.push(text.slice(0, -1));
    socket.write(Buffer.concat([message('C', 'OK\0'), idle]));
  } else if (type === 'P') {
    const statement = text.split('\0')[1] ?? '';
    told.push(statement);
    socket.write(Buffer.concat([message('1'), message('2')]));
    if (statement.includes('pg_catalog')) answerOn(socket).rows(['kind', 'name'], []);
    else script(statement, answerOn(socket));
  } else if (type === 'S') socket.write(idle);
}

/** Starts it. `greet` answers the startup message; by default everybody is let in. */
export async function startWireServer(
  script: Script,
  greet: (socket: Socket) => void = (socket) => socket.write(Buffer.concat([message('R', int32(0)), idle])),
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
        const at = started ? 1 : 0;
        if (pending.length < at + 4) return;
        const end = at + pending.readUInt32BE(at);
        if (pending.length < end) return;
        const type = started ? pending.toString('latin1', 0, 1) : '';
        const content = pending.subarray(at + 4, end);
        pending = pending.subarray(end);
        if (started) serve(type, content.toString(), socket, script, statements);
        else if (content.readInt32BE(0) === 80877103) socket.write('N');
        else {
          started = true;
          connections += 1;
          greet(socket);
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

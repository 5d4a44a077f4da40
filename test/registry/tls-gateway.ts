/** A TLS proxy in front of a test's listener, with certificates for the given names. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Test } from 'tap';
import { createRootCertificate, type RootCertificate } from '../targets/certificates.ts';

/** Listens before its target is set. */
export type TlsGateway = {
  readonly port: number;
  readonly root: RootCertificate;
  setTarget(url: string): void;
  close(): Promise<void>;
};

function forward(target: URL, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url: path, headers } = incoming;
  const forwarded = { ...headers, 'x-forwarded-for': '192.0.2.77' };
  const onward = request({ host: target.hostname, port: target.port, method, path, headers: forwarded }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

/** Listens until the end of the test. */
export async function startTlsGateway(t: Test, folder: string, names: readonly string[]): Promise<TlsGateway> {
  const root = createRootCertificate(folder);
  const contexts = new Map(names.map((name) => [name, createSecureContext(root.leaf(name))]));
  const [first = 'localhost'] = names;
  let target = new URL('http://127.0.0.1:9');
  const server = createTlsServer(
    { ...root.leaf(first), SNICallback: (name, done) => done(null, contexts.get(name)) },
    (incoming, outgoing) => forward(target, incoming, outgoing),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let closed: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    if (!closed) {
      server.closeAllConnections();
      closed = once(server, 'close');
      server.close();
    }
    await closed;
  };
  t.teardown(close);
  return {
    port,
    root,
    setTarget(url) {
      target = new URL(url);
    },
    close,
  };
}

/** A foreign registry, whose responses the test determines. */
export async function startForeignRegistry(
  t: Test,
  answer: (path: string, body: unknown) => { status: number; body?: unknown; headers?: Record<string, string> },
): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    requests.push(`${incoming.method} ${incoming.url}`);
    const { status, body = {}, headers = {} } = answer(incoming.url ?? '', text === '' ? undefined : JSON.parse(text));
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

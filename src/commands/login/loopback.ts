/** Where the browser comes back to: a listener on this machine, for one visit (RFC 8252 section 7.3). */
import { createServer, type IncomingMessage, type Server } from 'node:http';

/** `redirectUri` is told to the control plane; `visit` resolves with the address that the browser came back with. */
export type Loopback = { readonly redirectUri: string; visit: Promise<URL>; close(): void };

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>vp</title>
<body style="font-family: system-ui; margin: 4rem auto; max-width: 30rem">
<h1 style="font-size: 1.2rem">Back to the terminal</h1><p>It goes on there. This page can be closed.</p>`;
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

/** Takes a free port of 127.0.0.1. Visits without `state` are somebody else's and change nothing. */
export async function openLoopback(state: string): Promise<Loopback> {
  const { promise: visit, resolve } = Promise.withResolvers<URL>();
  const server = createServer((incoming, outgoing) => {
    const url = ownUrl(incoming, server);
    if (url?.pathname !== '/callback' || url.searchParams.get('state') !== state) {
      outgoing.writeHead(404, { Connection: 'close' }).end();
      return;
    }
    outgoing.writeHead(200, { ...headers, Connection: 'close' }).end(page, () => resolve(url));
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { redirectUri: `http://127.0.0.1:${portOf(server)}/callback`, visit, close };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Undefined when the request is not for this listener's own name. */
function ownUrl({ url = '/', headers: { host } }: IncomingMessage, server: Server): URL | undefined {
  const own = `127.0.0.1:${portOf(server)}`;
  return host === own ? (URL.parse(url, `http://${own}`) ?? undefined) : undefined;
}

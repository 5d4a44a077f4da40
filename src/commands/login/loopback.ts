/** A loopback listener for the redirect of one sign-in (RFC 8252 section 7.3). */
import { createServer, type IncomingMessage, type Server } from 'node:http';

/** `callbackUrl` resolves with the full URL of the redirect. */
export type LoopbackListener = { readonly redirectUri: string; callbackUrl: Promise<URL>; close(): void };

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>vp</title>
<body style="font-family: system-ui; margin: 4rem auto; max-width: 30rem">
<h1 style="font-size: 1.2rem">Return to the terminal</h1><p>You can close this page.</p>`;
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

/** Listens on a free port of 127.0.0.1. Requests without the right `state` are answered 404 and ignored. */
export async function openLoopbackListener(state: string): Promise<LoopbackListener> {
  const { promise: callbackUrl, resolve } = Promise.withResolvers<URL>();
  const server = createServer((incoming, outgoing) => {
    const url = parseOwnUrl(incoming, server);
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
  return { redirectUri: `http://127.0.0.1:${getPort(server)}/callback`, callbackUrl, close };
}

function getPort(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Undefined if the Host header is not this listener's address. */
function parseOwnUrl({ url = '/', headers: { host } }: IncomingMessage, server: Server): URL | undefined {
  const ownHost = `127.0.0.1:${getPort(server)}`;
  return host === ownHost ? (URL.parse(url, `http://${ownHost}`) ?? undefined) : undefined;
}

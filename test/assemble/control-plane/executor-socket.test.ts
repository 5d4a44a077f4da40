import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startControlPlane } from '../../../src/assemble/control-plane/control-plane.ts';
import { getExecutorSocketPath, openExecutorSocket } from '../../../src/assemble/control-plane/executor-socket.ts';
import { createBufferedOutboundFetch, createOutboundFetch } from '../../../src/outbound/outbound-fetch.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';

const { environment } = memoryEnvironment();
const logLines: string[] = [];
const log = {
  error: () => undefined,
  warn: ({ code }: Readonly<Record<string, unknown>>) => void logLines.push(String(code)),
  info: () => undefined,
  debug: () => undefined,
};

/** With a short path: those of sockets have a limit. */
function folderFor(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'vp-socket-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function plane(t: Test, folder: string) {
  const started = await startControlPlane({
    environment,
    folder,
    host: '127.0.0.1',
    port: 0,
    executorSocket: true,
    log,
  });
  t.teardown(() => started.close());
  return started;
}

function ask(socket: string, path: string, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return createOutboundFetch({ url: `unix:${socket}`, extraRoots: [], variables: {} }).then((call) =>
    call(`unix:${socket}${path}`, { method: 'GET', headers, signal: AbortSignal.timeout(5000), redirect: 'manual' }),
  );
}

t.test('containers on this machine reach the executor gate through a socket that any user may open', async (t) => {
  const folder = folderFor(t);
  const { executorSocket, ownerKey } = await plane(t, folder);
  t.equal(executorSocket, getExecutorSocketPath(folder));
  t.equal(statSync(join(folder, 'executors')).mode & 0o777, 0o755);
  t.equal(statSync(executorSocket ?? '').mode & 0o777, 0o666);
  t.match(JSON.parse(await (await ask(executorSocket ?? '', '/healthz')).text()), { status: 'ok', version: String });
  t.match(JSON.parse(await (await ask(executorSocket ?? '', '/api/v1/instances', ownerKey)).text()), {
    code: 'EXECUTOR_DOOR_CLOSED',
  });
  t.equal((await ask(executorSocket ?? '', '/')).status, 404, 'no console');
});

t.test('a call finds the socket of the next start, on a new connection', async (t) => {
  const folder = folderFor(t);
  const first = await plane(t, folder);
  const url = `unix:${getExecutorSocketPath(folder)}`;
  const call = await createBufferedOutboundFetch({ url, extraRoots: [], variables: {} });
  const health = () =>
    call(`${url}/healthz`, { method: 'GET', headers: {}, signal: AbortSignal.timeout(5000), redirect: 'manual' });
  t.equal((await health()).status, 200);
  await first.close();
  await t.rejects(health(), { code: 'ENOENT' });
  await plane(t, folder);
  t.equal((await health()).status, 200);
});

t.test('the socket of a killed process is replaced', async (t) => {
  const folder = folderFor(t);
  mkdirSync(join(folder, 'executors'));
  const path = getExecutorSocketPath(folder);
  const staleServer = createServer();
  await new Promise<void>((resolve) => staleServer.listen(path, resolve));
  // Closing would remove it, as a killed process does not.
  const other = join(folder, 'executors', 'kept');
  linkSync(path, other);
  await new Promise((resolve) => staleServer.close(resolve));
  renameSync(other, path);
  const { executorSocket } = await plane(t, folder);
  t.equal((await ask(executorSocket ?? '', '/healthz')).status, 200);
});

t.test('a path that is too long, and an unusable folder, are logged and stop nothing else', async (t) => {
  const handler = (): Response => new Response();
  const long = join(folderFor(t), 'x'.repeat(120));
  const refused = { code: 'EXECUTOR_SOCKET_UNUSABLE', message: /has \d+ bytes, and the limit is 107/ };
  await t.rejects(openExecutorSocket({ environment, folder: long, handler, log }), refused);
  const folder = folderFor(t);
  writeFileSync(join(folder, 'executors'), 'a file');
  const { executorSocket, url } = await plane(t, folder);
  t.equal(executorSocket, undefined);
  t.ok(logLines.includes('EXECUTOR_SOCKET_UNUSABLE'));
  t.equal((await fetch(`${url}/healthz`)).status, 200);
});

/** The response to a request with the given Host. */
function named(url: string, host: string, path: string, key?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
    httpRequest(`${url}${path}`, { headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    })
      .on('error', reject)
      .end();
  });
}

t.test('by the engine’s host name for the machine, only the executor gate is reachable', async (t) => {
  const { url, ownerKey } = await plane(t, folderFor(t));
  const host = 'host.docker.internal:7700';
  t.equal((await named(url, host, '/healthz')).status, 200);
  t.match(await named(url, host, '/api/v1/instances', ownerKey), { status: 403, text: /EXECUTOR_DOOR_CLOSED/ });
  for (const path of ['/', '/oauth/authorize', '/.well-known/oauth-authorization-server', '/api/v1/setup'])
    t.equal((await named(url, 'host.containers.internal', path)).status, 404, path);
  t.match(await named(url, 'elsewhere.internal', '/healthz'), { text: /HOST_REFUSED/ });
  t.equal((await named(url, '127.0.0.1', '/api/v1/instances', ownerKey)).status, 200);
});

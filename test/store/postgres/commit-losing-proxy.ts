/** A proxy in front of PostgreSQL that loses a COMMIT. */
import { once } from 'node:events';
import { connect as connectTo, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';
import { getPort } from '../../targets/raw-target.ts';

/** Passes everything on, until a connection commits while `onCommit` is set: that COMMIT never arrives. `cut` ends all connections. */
export async function startCommitLosingProxy(t: Test, port: number) {
  const state = { onCommit: undefined as (() => void) | undefined, isOpen: true };
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connectTo({ host: '127.0.0.1', port });
    sockets.add(near);
    near.on('close', () => sockets.delete(near));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
    if (!state.isOpen) near.destroy();
    far.pipe(near);
    near.on('data', (chunk) => {
      const { onCommit } = state;
      if (!onCommit || !chunk.includes('COMMIT\0')) return void far.write(chunk);
      state.onCommit = undefined;
      state.isOpen = false;
      onCommit();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return { state, cut, port: getPort(server) };
}

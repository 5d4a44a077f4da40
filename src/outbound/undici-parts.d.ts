/**
 * The two parts of undici that talk to targets, imported by file: the whole package takes 70 ms to load, these take 30 ms
 * (measured unbundled), and `vp run --local` is held to a start-up budget. The version is pinned.
 */
declare module 'undici/lib/dispatcher/client.js' {
  import type { Client } from 'undici';

  const client: typeof Client;
  export default client;
}

declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net';
  import type { buildConnector } from 'undici';

  type Connect = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
  const build: (options: buildConnector.BuildOptions) => Connect;
  export default build;
}

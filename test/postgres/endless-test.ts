/** Starts a server, prints its URL and waits until it is killed: for postgres-server.test.ts. */
import { startPostgres } from './postgres-server.ts';

const server = await startPostgres({ teardown: () => undefined });
process.stdout.write(`${server.getUrl('postgres', { host: server.socketFolder })}\n`);
setInterval(() => undefined, 60_000);

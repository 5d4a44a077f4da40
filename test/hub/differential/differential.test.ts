/**
 * The same sequence of requests to a server and to a hub in front of it: the client sees the same, whatever the revisions of
 * client and server, and the transport of the server. `VP_SEED` and `VP_RUNS` try other sequences, and more.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { UpstreamConnection } from '../../../src/hub/connections/connection.ts';
import type { OperatorCommands } from '../../../src/hub/upstream/commands/operator-commands.ts';
import { getSourceVariables, sourceOptions } from '../../source-program.ts';
import { createReferenceMcpServer, createReferenceServer, type Era } from '../fixtures/reference-server.ts';
import { createSseServer } from '../fixtures/sse-server.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';
import { runnerOptions } from '../upstream/commands/pipe-gateway.ts';
import { connect, type Operation, operations, perform, type Side, toComparable } from './operations.ts';

const seed = Number(process.env.VP_SEED ?? 20_260_728);
const timeout = 120_000;
const numRuns = Number(process.env.VP_RUNS ?? 4);

type ServerTransport = 'http' | 'sse' | 'stdio';

/**
 * The operations of a step are concurrent, but not where all calls share one stream: a message of the log and a question do not
 * say there which call they belong to, and go to none.
 */
function createSequences(transport: ServerTransport) {
  const maxLength = transport === 'http' ? 3 : 1;
  return fc.array(fc.array(operations, { minLength: 1, maxLength }), { minLength: 1, maxLength: 6 });
}

async function observe(side: Side, sequence: readonly (readonly Operation[])[]): Promise<unknown[]> {
  const observations: unknown[] = [];
  for (const step of sequence) observations.push(await Promise.all(step.map((operation) => perform(side, operation))));
  return [...observations, { log: toComparable(side.log) }];
}

/** The reference server behind a hub. */
async function startHub(t: Test, era: Era, transport: ServerTransport): Promise<string> {
  const program = [join(import.meta.dirname, '../fixtures/stdio-reference-server.ts'), era];
  const command = [process.execPath, ...sourceOptions, ...program];
  const commands: OperatorCommands = new Map([['reference', { command, variables: getSourceVariables() }]]);
  const options = { commands, runnerOptions };
  const startGateway = async (connection: UpstreamConnection): Promise<string> =>
    (await startTestGateway(t, [connection], options)).server.url;
  if (transport === 'stdio')
    return startGateway(createConnection('good', '', { kind: 'stdio', url: undefined, command: 'reference' }));
  const reference = createReferenceServer(era);
  if (transport === 'http')
    return startGateway(createConnection('good', (await startTestServer(t, reference.handle)).url));
  const sse = createSseServer(() => createReferenceMcpServer(reference, era));
  return startGateway(createConnection('good', (await startTestServer(t, sse.handle)).url, { kind: 'sse' }));
}

async function compare(t: Test, clientEra: Era, serverEra: Era, transport: ServerTransport): Promise<void> {
  const alone = await startTestServer(t, createReferenceServer(serverEra).handle);
  const hubUrl = await startHub(t, serverEra, transport);
  await fc.assert(
    fc.asyncProperty(createSequences(transport), async (sequence) => {
      // The server has one era; the hub serves clients of both.
      const direct = await connect(alone.url, serverEra, false);
      const hub = await connect(hubUrl, clientEra, true);
      try {
        const expected = await observe(direct, sequence);
        const actual = await observe(hub, sequence);
        const index = expected.findIndex((value, step) => JSON.stringify(value) !== JSON.stringify(actual[step]));
        if (index < 0) return;
        const seen = `directly ${JSON.stringify(expected[index])}, through the hub ${JSON.stringify(actual[index])}`;
        throw new Error(`${JSON.stringify(sequence[index] ?? 'log')}: ${seen}`);
      } finally {
        await Promise.all([direct.client.close(), hub.client.close()]);
      }
    }),
    { seed, numRuns },
  );
  t.pass(`${numRuns} sequences`);
}

const servers: readonly (readonly [era: Era, transport: ServerTransport])[] = [
  ['older', 'http'],
  ['newest', 'http'],
  ['older', 'sse'],
  ['older', 'stdio'],
  ['newest', 'stdio'],
];

for (const clientEra of ['older', 'newest'] as const)
  for (const [serverEra, transport] of servers)
    t.test(
      `a client of the ${clientEra} revision, a server of the ${serverEra} one over ${transport}`,
      { timeout },
      (t) => compare(t, clientEra, serverEra, transport),
    );

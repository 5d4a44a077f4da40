/**
 * The same sequence of requests to a server and to a hub in front of it: the client sees the same, whatever the revisions of
 * client and server. `VP_SEED` and `VP_RUNS` try other sequences, and more.
 */
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { createReferenceServer, type Era } from '../fixtures/reference-server.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';
import { connect, type Operation, operations, perform, type Side, toComparable } from './operations.ts';

const seed = Number(process.env.VP_SEED ?? 20_260_728);
/** A busy machine must not look like a difference. */
const slowMachineTimeouts = { timeouts: { idleMs: 60_000, totalMs: 120_000 }, connectMs: 60_000 };
const timeout = 120_000;
const numRuns = Number(process.env.VP_RUNS ?? 4);

/** The operations of a step are concurrent. */
const sequences = fc.array(fc.array(operations, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 });

async function observe(side: Side, sequence: readonly (readonly Operation[])[]): Promise<unknown[]> {
  const observations: unknown[] = [];
  for (const step of sequence) observations.push(await Promise.all(step.map((operation) => perform(side, operation))));
  return [...observations, { log: toComparable(side.log) }];
}

async function compare(t: Test, clientEra: Era, serverEra: Era): Promise<void> {
  const alone = await startTestServer(t, createReferenceServer(serverEra).handle);
  const upstream = await startTestServer(t, createReferenceServer(serverEra).handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)], slowMachineTimeouts);
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      // The server has one era; the hub serves clients of both.
      const direct = await connect(alone.url, serverEra, false);
      const hub = await connect(gateway.server.url, clientEra, true);
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

for (const clientEra of ['older', 'newest'] as const)
  for (const serverEra of ['older', 'newest'] as const)
    t.test(`a client of the ${clientEra} revision, a server of the ${serverEra} one`, { timeout }, (t) =>
      compare(t, clientEra, serverEra),
    );

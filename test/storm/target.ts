/** The target of a storm: it counts what arrives, answers late at times, and at times not at all. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { getPort } from '../targets/raw-target.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { StormRecord } from './storm-record.ts';

export type StormTarget = { readonly origin: string; close(): Promise<void> };

export async function startStormTarget(
  random: SeededRandom,
  record: StormRecord,
  onArrival: (correlationId: string) => void = () => undefined,
): Promise<StormTarget> {
  const server = createServer(async (incoming, outgoing) => {
    const correlationId = String(incoming.headers['x-correlation-id']);
    record.arrivals.push(correlationId);
    onArrival(correlationId);
    outgoing.on('error', () => undefined);
    await sleepFor(random.integer(0, 40));
    if (random.chance(0.02)) return void outgoing.destroy();
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{"count": 3}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${getPort(server)}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const stormScenarioId = 'RT-POST-document';

/** POST, because a safe request may be sent once more when its connection turns out closed. */
export const stormScenarioText = `# Scenario: POST document

## Metadata

- ID: ${stormScenarioId}
- Layer: HTTP Ingestion

## TRIGGER

POST \${INGESTION_URL}/api/v2/document

## EXPECT

### Runnable

- status=200
- body has count equals 3

## TIMEOUT

5s
`;

/** A test server with every service: hub gateway, memory and registry. */
import type { Test } from 'tap';
import { openHubGateway } from '../../src/assemble/control-plane/hub-gateway.ts';
import { openMemoryRole } from '../../src/assemble/control-plane/memory.ts';
import { openRegistry } from '../../src/assemble/control-plane/registry.ts';
import { processEnvironment } from '../../src/environment/environment.ts';
import { createMemoryLog } from '../http/memory-log.ts';
import { createVariantServer, origin, startTestServer, type TestServer } from './test-server.ts';

/** Tests call every route with every caller. */
const hubSettings = { maxRefusalsPerMinute: 100_000 };
const callRates = { open: 100_000, registryReads: 100_000, registryWrites: 100_000 };

/** Closed after the test. */
export async function startCompleteServer(t: Test): Promise<TestServer> {
  const server = await startTestServer(t, { hubSettings });
  const { folder, control, identity, hub } = server;
  const environment = { ...processEnvironment(), variables: {} };
  const log = { ...createMemoryLog().log, info: () => undefined, debug: () => undefined };
  const memory = openMemoryRole({ folder, environment, log });
  const hubGateway = await openHubGateway({
    ...{ folder, control, identity, hub, environment, log },
    memory: memory.connection,
    address: () => origin,
  });
  t.teardown(async () => {
    await hubGateway.drain();
    await hubGateway.close();
    await memory.close();
  });
  const registry = openRegistry({ control, identity, environment });
  return createVariantServer(server, { hubGateway, memory, registry, callRates });
}

/** What a probe reports of servers that answer late, or do not answer everything. */
import t from 'tap';
import { createUpstreamLists } from '../../../src/hub/upstream/lists/upstream-lists.ts';
import { probeServer } from '../../../src/hub/upstream/probe.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createTestConnection } from '../fixtures/test-connection.ts';

const lists: Readonly<Record<string, Record<string, unknown>>> = {
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  'resources/list': { resources: [] },
  'prompts/list': { prompts: [] },
};

/** A server that never lists its templates; `onRequest` is called before each response. */
function startProbe(onRequest: (method: string, clock: ReturnType<typeof fakeClock>) => void = () => {}) {
  const clock = fakeClock();
  const templatesRequested = Promise.withResolvers<void>();
  const connection = createTestConnection('good');
  const source = {
    connection,
    capabilities: async () => ({ tools: {}, resources: {}, prompts: {} }),
    getMask: () => (json: string) => json,
    async send(method: string) {
      onRequest(method, clock);
      const list = lists[method];
      if (list) return list;
      templatesRequested.resolve();
      return new Promise<never>(() => {});
    },
  };
  const getInfo = async () => ({ server: undefined, protocolVersion: undefined, instructions: undefined });
  const server = { connection, lists: createUpstreamLists(source, clock), getInfo, close: async () => {} };
  return { clock, templatesRequested: templatesRequested.promise, result: probeServer(server, clock) };
}

t.test('a server that never lists its templates is probed without them', async (t) => {
  const { clock, templatesRequested, result } = startProbe();
  await templatesRequested;
  clock.advance(2000);
  t.match(await result, { problem: null, tools_count: 1, duration_ms: 2000 });
});

t.test('a server whose other lists took nearly all the time is no failure either', async (t) => {
  const { clock, templatesRequested, result } = startProbe((method, clock) => {
    if (method === 'prompts/list') clock.advance(9900);
  });
  await templatesRequested;
  clock.advance(100);
  t.match(await result, { problem: null, tools_count: 1, duration_ms: 10_000 });
});

import t from 'tap';
import { routerCommand } from '../../src/commands/roles/router.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { VpError } from '../../src/errors/vp-error.ts';
import { writePresence } from '../../src/router/presence.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { eventually } from '../eventually.ts';
import { respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { createPost, createToken, toolCall } from './test-router.ts';

type Flags = Parameters<typeof routerCommand.run>[0]['flags'];
const plain: Flags = {
  host: '127.0.0.1',
  port: 0,
  executor: [],
  'executor-url': undefined,
  'allow-insecure': false,
  'host-name': [],
  'scrape-key-file': undefined,
  health: false,
};

/** Starts the command. */
function start(flags: Partial<Flags>, config = '/nonexistent') {
  const memory = memoryEnvironment({ paths: { data: config, config, cache: config } });
  const { environment, written } = memory;
  const invocation = {
    flags: { ...plain, ...flags },
    args: [],
    json: true,
    logLevel: 'error' as const,
    environment,
    catalogue: [],
  };
  const ended = routerCommand.run(invocation).catch((error: unknown) => {
    if (error instanceof VpError) return error;
    throw error;
  });
  const listening = async (): Promise<string> => {
    await eventually(() => written.stdout, { until: (text) => text.includes('\n'), description: 'a line of output' });
    return JSON.parse(written.stdout).url;
  };
  return { ended, listening, interrupt: () => memory.interrupt() };
}

t.test('it routes to executors of flags and of presence files, until it is interrupted', async (t) => {
  const executor = await startHttpTarget(respondWithJson({ jsonrpc: '2.0', id: 7, result: {} }));
  t.teardown(() => executor.close());
  const config = t.testdir();
  const presence = { instance: 'bank', url: executor.origin, pid: 1, state: 'listening' } as const;
  await writePresence({ config }, presence, systemRandom);
  const router = start({ executor: [`shop=${executor.origin}/mcp`] }, config);
  const url = await router.listening();
  for (const [instance, status] of [
    ['shop', 200],
    ['bank', 200],
    ['other', 401],
  ] as const) {
    t.equal((await fetch(url, createPost(createToken(instance), toolCall))).status, status, instance);
  }
  router.interrupt();
  t.equal(await router.ended, 0);
});

t.test('a port in use is reported as a running router or as another process', async (t) => {
  const first = start({});
  const port = Number(new URL(await first.listening()).port);
  t.match(await start({ port }).ended, { code: 'ROUTER_RUNS_ALREADY' });
  first.interrupt();
  await first.ended;
  const other = await startHttpTarget(respondWithJson({ status: 'ok' }));
  t.teardown(() => other.close());
  const conflict = await start({ port: Number(new URL(other.origin).port) }).ended;
  t.match(conflict, { code: 'ROUTER_PORT_HELD', message: /unrecognized router token/ });
});

t.test('URLs that would expose tokens, or that are invalid, are refused', async (t) => {
  const refused = async (flags: Partial<Flags>) => {
    const end = await start(flags).ended;
    return end instanceof VpError ? end.code : end;
  };
  t.equal(await refused({ host: '0.0.0.0' }), 'ROUTER_EXPOSED');
  t.equal(await refused({ executor: ['shop=http://10.0.0.1:8765'] }), 'ROUTER_EXPOSED');
  t.equal(await refused({ 'executor-url': 'http://platform-inst-{instance}:8765' }), 'ROUTER_EXPOSED');
  for (const executor of ['shop', '=http://a', 'Shop=https://a', 'shop=https://a/x', 'shop=file:///a']) {
    t.equal(await refused({ executor: [executor] }), 'FLAG_INVALID', executor);
  }
  for (const pattern of [
    'https://a:1',
    'https://{instance}/{instance}',
    'https://a/{instance}',
    'https://a/?{instance}',
  ]) {
    t.equal(await refused({ 'executor-url': pattern }), 'FLAG_INVALID', pattern);
  }
});

t.test('in a container network, instances are host names', async (t) => {
  const router = start({ 'executor-url': 'http://{instance}.invalid:8765', 'allow-insecure': true });
  const answer = await fetch(await router.listening(), createPost(createToken('shop'), toolCall));
  const text = await answer.text();
  t.match(text, 'http://shop.invalid:8765/mcp');
  t.match(text, /host name (is unknown|cannot be resolved)/);
  router.interrupt();
  await router.ended;
});

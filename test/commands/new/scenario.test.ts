/** `vp new scenario`: what is sent, what is written, and what is said about what was not sent. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { itemsDocument, listNextCommands, type OwnApplication, startOwnApplication, token } from './own-application.ts';

const routes = {
  '/health': { status: 'ok' },
  '/items': [{ id: 1, title: 'a book' }],
  '/api/items': { count: 1 },
  '/openapi.json': itemsDocument,
};

async function startProject(t: Parameters<typeof startOwnApplication>[0]): Promise<OwnApplication> {
  const application = await startOwnApplication(t, { routes, protectedPaths: ['/items'] });
  const args = ['new', '--yes', '--base-url', application.target.origin, '--from', 'GET /health'];
  const { code } = await application.vp([...args, '--secret-from', 'T'], { variables: { T: token } });
  t.equal(code, 0);
  application.target.arrived.length = 0;
  return application;
}

t.test('a GET is sent twice, gets checks that hold, and is proven by the command that is named next', async (t) => {
  const { vp, folder, target } = await startProject(t);
  const { code, stdout, stderr } = await vp(['new', 'scenario', '--from', 'GET /items', '--tag', 'smoke']);
  t.equal(code, 0, stderr);
  const text = readFileSync(join(folder, 'test/scenarios/RT-GET-items.md'), 'utf8');
  t.match(
    text,
    /^# Scenario: GET items\n\n## Metadata\n\n- ID: RT-GET-items\n- Layer: HTTP Ingestion\n- Tags: smoke\n/,
  );
  t.match(text, '- body has [0].id matching ^[0-9]+$\n- body has [0].title matching \\S\n');
  t.equal(target.arrived.length, 3, 'twice, and the run');
  const [prove = []] = listNextCommands(stdout);
  const proof = await vp(prove);
  t.equal(proof.code, 0, proof.stdout);
  t.match(proof.stdout, /proof {2}\d proven/);
  t.equal((await vp(['run', '--local'])).code, 0, 'with the first scenario');
});

t.test('a request that may change data is never sent; what was not seen is not checked', async (t) => {
  const { vp, folder, target } = await startProject(t);
  const { code, stdout } = await vp(['new', 'scenario', '--from', 'POST /items']);
  t.equal(code, 1, 'the work is done in part');
  t.ok(target.arrived.every(({ method }) => method === 'GET'));
  const file = join(folder, 'test/scenarios/RT-POST-items.md');
  const text = readFileSync(file, 'utf8');
  t.match(text, /~~~json\n\{\n {2}"title": "a book"\n\}\n~~~/, 'the body is the example of the API document');
  t.notMatch(text, /^- (?:status|body)/m);
  t.match(stdout, /not sent +POST may change data/);
  t.match(stdout, /promises 201/);
  const [validate = []] = listNextCommands(stdout);
  t.match((await vp(validate)).stdout, /SCENARIO_RUNNABLE_EMPTY/);

  const other = await vp(['new', 'scenario', '--from', 'DELETE /items/1', '--status', '204']);
  t.equal(other.code, 0, other.stderr);
  t.match(readFileSync(join(folder, 'test/scenarios/RT-DELETE-items-1.md'), 'utf8'), '- status=204\n');
  t.ok(target.arrived.every(({ method }) => method === 'GET'));
  const unknown = await vp(['new', 'scenario', '--from', 'DELETE /items/2']);
  t.match(unknown.stdout, /incomplete +write what must come back .*such as\s+- status=204\s/);
});

t.test('a curl command for the target itself is not said to go elsewhere', async (t) => {
  const { vp, target } = await startProject(t);
  const { stdout } = await vp(['new', 'scenario', '--curl', `curl -X POST ${target.origin}/orders`, '--status', '201']);
  t.match(stdout, /not sent +the request was read from the curl command\n/);
});

t.test('a curl command becomes a scenario without its secrets, and is not sent', async (t) => {
  const { vp, folder, target } = await startProject(t);
  const curl = `curl 'https://shop.example/orders?api_key=k1' -H 'Authorization: Bearer t0p' --json '{"a": 1}'`;
  const { code, stdout, stderr } = await vp(['new', 'scenario', '--curl', curl, '--status', '201']);
  t.equal(code, 0, stderr);
  t.match(
    stdout,
    /not sent +the request was read .*: it will go to the target of the config, not to https:\/\/shop\.example/,
  );
  t.match(stdout, /variable +\$\{ACCESS_TOKEN\} needs a value/);
  const text = readFileSync(join(folder, 'test/scenarios/RT-POST-orders.md'), 'utf8');
  t.match(text, 'POST ${INGESTION_URL}/orders?api_key=${API_KEY}\n');
  t.match(text, 'Authorization: Bearer ${ACCESS_TOKEN}\n');
  t.match(text, '~~~json\n{"a": 1}\n~~~');
  t.match(text, '- status=201\n');
  t.notMatch(text + stdout, /t0p|k1/);
  t.ok(target.arrived.every(({ url }) => !url.startsWith('/orders')));
  const piped = await vp(['new', 'scenario', '--curl', '-', '--status', '200'], {
    stdin: Readable.from(['curl http://h/piped']),
  });
  t.equal(piped.code, 0, piped.stderr);
  t.match(readFileSync(join(folder, 'test/scenarios/RT-GET-piped.md'), 'utf8'), 'GET ${INGESTION_URL}/piped\n');
  const refused = await vp(['new', 'scenario', '--curl', 'wget http://h']);
  t.equal(refused.code, 2);
  t.match(refused.stderr, /--curl cannot be used: this is not a curl command/);
});

t.test('a request with a scenario is refused with the command that runs it; a name makes another', async (t) => {
  const { vp, folder } = await startProject(t);
  const taken = await vp(['new', 'scenario', '--from', 'GET /health']);
  t.equal(taken.code, 2);
  t.match(taken.stderr, /RT-GET-health in test\/scenarios\/RT-GET-health\.md[\s\S]*vp run --local RT-GET-health/);
  t.match(taken.stderr, 'NEW_SCENARIO_EXISTS');
  t.equal((await vp(['new', 'scenario', '--from', 'GET /health', '--name', 'alive'])).code, 0);
  t.ok(existsSync(join(folder, 'test/scenarios/RT-GET-alive.md')));
  t.equal((await vp(['new', 'scenario', '--from', 'GET /health', '--force'])).code, 0, 'or written again');
});

t.test('the same last word in another path gets a longer name', async (t) => {
  const { vp, folder } = await startProject(t);
  await vp(['new', 'scenario', '--from', 'GET /items']);
  t.equal((await vp(['new', 'scenario', '--from', 'GET /api/items'])).code, 0);
  t.ok(existsSync(join(folder, 'test/scenarios/RT-GET-api-items.md')));
});

t.test('an error status is written as it was seen, with a warning', async (t) => {
  const { vp, folder } = await startProject(t);
  const { code, stdout } = await vp(['new', 'scenario', '--from', 'GET /nowhere']);
  t.equal(code, 0);
  t.match(stdout, /! status +404 is not a success/);
  t.match(readFileSync(join(folder, 'test/scenarios/RT-GET-nowhere.md'), 'utf8'), '- status=404\n');
});

t.test('header lines with variables are taken over from the scenarios that exist', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t, { routes });
  await vp(
    [
      'new',
      '--yes',
      '--base-url',
      target.origin,
      '--from',
      'GET /health',
      '--auth-header',
      'X-Key',
      '--secret-from',
      'K',
    ],
    {
      variables: { K: 'key-of-it' },
    },
  );
  target.arrived.length = 0;
  t.equal((await vp(['new', 'scenario', '--from', 'GET /items'])).code, 0);
  t.match(readFileSync(join(folder, 'test/scenarios/RT-GET-items.md'), 'utf8'), '\nX-Key: ${API_KEY}\n');
  t.ok(
    target.arrived.filter(({ url }) => url === '/items').every(({ rawHeaders }) => rawHeaders.includes('key-of-it')),
  );
});

t.test('wrong flags are told', async (t) => {
  const { vp } = await startProject(t);
  const cases: readonly [readonly string[], string][] = [
    [[], 'FLAG_VALUE_MISSING'],
    [['--from', 'FETCH /items'], 'NEW_REQUEST_INVALID'],
    [['--from', 'GET /items/{id}'], 'NEW_REQUEST_INVALID'],
    [['--from', 'GET /a b'], 'NEW_REQUEST_INVALID'],
    [['--from', 'GET /items', '--log', '-'], 'FLAG_INVALID'],
    [['--from', 'GET /items', '--name', 'a b'], 'FLAG_INVALID'],
    [['--from', 'GET /items', '--product-dir', 'nowhere'], 'CONFIG_FOLDER_MISSING'],
  ];
  for (const [args, code] of cases) {
    const { stderr, code: exit } = await vp(['new', 'scenario', ...args]);
    t.match(stderr, code, args.join(' '));
    t.equal(exit, 2);
  }
});

t.test('--json is one document', async (t) => {
  const { vp } = await startProject(t);
  const { stdout } = await vp(['new', 'scenario', '--json', '--from', 'GET /items']);
  t.match(JSON.parse(stdout), { id: 'RT-GET-items', status: 200, run: { summary: { passed: 1 } }, exit_code: 0 });
});

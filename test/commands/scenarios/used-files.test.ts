/** Scenarios that use files of their folder, in every command that reads them. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { stringify } from 'yaml';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText, startTarget } from '../test-workspace.ts';

const signIn = `## STEPS

### sign in

POST \${INGESTION_URL}/session

- status=200

## CLEANUP

### sign out

DELETE \${INGESTION_URL}/session
`;

const withUses = (id: string, use: string, from: string): string =>
  scenarioText(id, { path: '/orders?page=${page}' })
    .replace('## TRIGGER', `## STEPS\n\nuse: ${use}\n\n## TRIGGER`)
    .replace('## TIMEOUT', `## CASES\n\nfrom: ${from}\n\n## TIMEOUT`);

const files = {
  'scenarios/orders.md': withUses('RT-orders', 'lib/sign-in.md', 'pages.csv'),
  'scenarios/lib/sign-in.md': signIn,
  'scenarios/pages.csv': 'case,page\nfirst,1\nsecond,2\n',
};

t.test('a run sends the steps and the cases of files', async (t) => {
  const { origin, arrived } = await startTarget(t, respondWithJson({ data: [] }));
  const { vp, write } = createWorkspace(t, origin, files);
  const { code, stdout } = await vp(['run', '--local', 'scenarios']);
  t.equal(code, 0, stdout);
  t.match(stdout, /✓ RT-orders {2}passed {2}2 cases: 2 passed/);
  t.match(stdout, '1 run: 1 passed', 'a file of steps is no scenario');
  t.same(
    arrived.map(({ method, url }) => `${method} ${url}`),
    [1, 2].flatMap((page) => ['POST /session', `GET /orders?page=${page}`, 'DELETE /session']),
  );
  write('scenarios/lib/sign-in.md', signIn.replace('status=200', 'status=201'));
  const failed = await vp(['run', '--local', 'scenarios/orders.md']);
  t.equal(failed.code, 1);
  t.match(failed.stdout, 'scenarios/lib/sign-in.md:7:3 in the step sign in');
});

t.test('mistakes in a used file are reported there, and format leaves its text out', async (t) => {
  const { vp, write, folder } = createWorkspace(t, 'http://127.0.0.1:9', files);
  t.match(await vp(['validate', 'scenarios']), { code: 0, stdout: /1 scenario: valid/ });
  write('scenarios/lib/sign-in.md', signIn.replace('status=200', 'nonsense'));
  t.match(await vp(['validate', 'scenarios']), {
    code: 2,
    stdout: /scenarios\/lib\/sign-in\.md:7:3: error SCENARIO_CHECK_UNKNOWN/,
  });
  write('scenarios/lib/sign-in.md', signIn);
  write('scenarios/orders.md', files['scenarios/orders.md'].replace('- status', '* status'));
  t.equal((await vp(['format', 'scenarios'])).code, 0);
  const text = readFileSync(join(folder, 'scenarios/orders.md'), 'utf8');
  t.notMatch(text, 'FILES');
  t.match(text, '- status');
  t.match(await vp(['format', '--check', 'scenarios']), { code: 0 });
});

t.test('only data of the folder is read', async (t) => {
  const { vp, write, folder } = createWorkspace(t, 'http://127.0.0.1:9', {
    'outside.csv': 'case,page\na,1\n',
    'scenarios/.secret.csv': 'case,page\na,1\n',
    'scenarios/.git/x.csv': 'case,page\na,1\n',
    'scenarios/lib/sign-in.md': signIn,
  });
  mkdirSync(join(folder, 'elsewhere'));
  writeFileSync(join(folder, 'elsewhere/x.csv'), 'case,page\na,1\n');
  symlinkSync(join(folder, 'elsewhere/x.csv'), join(folder, 'scenarios/link.csv'));
  for (const name of ['../outside.csv', '.secret.csv', '.git/x.csv', 'link.csv', '/etc/hosts.csv', 'absent.csv']) {
    write('scenarios/orders.md', withUses('RT-orders', 'lib/sign-in.md', name));
    const { code, stdout } = await vp(['validate', 'scenarios']);
    t.match({ code, stdout }, { code: 2, stdout: /SCENARIO_FILE_ABSENT/ }, name);
  }
});

t.test('the catalogue has complete texts, and pulling writes them as they were', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9', files);
  const controlPlane = await startTestControlPlane(t, workspace);
  await controlPlane.registerInstance('shop');
  t.match(await controlPlane.vp(['scenarios', 'push', 'scenarios']), { code: 0, stdout: /created {2}RT-orders/ });
  const { text } = await controlPlane.control.catalogue.get('shop', 'RT-orders');
  t.match(text, '## FILES\n\n### pages.csv');
  t.match(text, '### lib/sign-in.md');
  t.match(await controlPlane.vp(['scenarios', 'push', 'scenarios']), { stdout: /1 unchanged/ });
  t.match(await controlPlane.vp(['scenarios', 'diff', 'scenarios']), { code: 0 });
  workspace.write('scenarios/pages.csv', 'case,page\nthird,3\n');
  t.match(
    await controlPlane.vp(['scenarios', 'push', 'scenarios']),
    { stdout: /updated {2}RT-orders/ },
    'a changed file',
  );
  const changed = (await controlPlane.control.catalogue.get('shop', 'RT-orders')).text.replace(
    '- status=200',
    '- status=201',
  );
  await controlPlane.control.catalogue.write('shop', 'RT-orders', { text: changed }, { name: 'ana' });
  t.match(await controlPlane.vp(['scenarios', 'pull', 'scenarios']), { code: 0, stdout: /updated {2}RT-orders/ });
  const pulled = readFileSync(join(workspace.folder, 'scenarios/orders.md'), 'utf8');
  t.match(pulled, '- status=201');
  t.notMatch(pulled, 'FILES');
  t.match(await controlPlane.vp(['scenarios', 'push', 'scenarios']), { stdout: /1 unchanged/ });
});

const order = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer', description: 'the number' } },
};
const openApi = {
  openapi: '3.0.3',
  paths: {
    '/orders/{id}': { get: { responses: { 200: { content: { 'application/json': { schema: order } } } } } },
    '/other': { get: { responses: { 204: { description: 'nothing' } } } },
  },
};

t.test('schemas and OpenAPI documents may be YAML', async (t) => {
  const { origin } = await startTarget(t, respondWithJson({ id: 'seven' }));
  const checks = (file: string) =>
    scenarioText('RT-order', { path: '/orders/7' }).replace('- status=200', `- body matches schema ${file}`);
  const workspace = createWorkspace(t, origin, {
    'scenarios/api.yaml': stringify(openApi),
    'scenarios/order.yml': `# a schema\nproperties: &all\n  id: { type: integer }\n$defs: { other: { properties: *all } }\n`,
    'scenarios/order.md': checks('api.yaml'),
    'scenarios/broken.yaml': 'a: [',
  });
  const { vp, write } = workspace;
  for (const file of ['api.yaml', 'order.yml']) {
    write('scenarios/order.md', checks(file));
    t.match(await vp(['run', '--local', 'scenarios']), { code: 1, stdout: /`id` must be integer/ }, file);
  }
  write('scenarios/order.md', checks('broken.yaml'));
  t.match(await vp(['validate', 'scenarios']), { code: 2, stdout: /it is not YAML/ });
  write('scenarios/order.md', checks('api.yaml'));
  const controlPlane = await startTestControlPlane(t, workspace);
  await controlPlane.registerInstance('shop');
  await controlPlane.vp(['scenarios', 'push', 'scenarios']);
  const { text } = await controlPlane.control.catalogue.get('shop', 'RT-order');
  t.match(text, '### api.yaml\n\n~~~\n{\n "openapi": "3.0.3",\n');
  t.notMatch(text, /the number|other/);
  const changed = text.replace('- body', '- status=200\n- body');
  await controlPlane.control.catalogue.write('shop', 'RT-order', { text: changed }, { name: 'ana' });
  await controlPlane.vp(['scenarios', 'pull', 'scenarios']);
  const pulled = readFileSync(join(workspace.folder, 'scenarios/order.md'), 'utf8');
  t.match(pulled, '- status=200');
  t.notMatch(pulled, 'FILES');
});

t.test('a schema of half a megabyte is pushed, run and judged', async (t) => {
  const { origin } = await startTarget(t, respondWithJson({ id: 'seven' }));
  const workspace = createWorkspace(t, origin, {
    'scenarios/large.json': JSON.stringify({ properties: { id: { type: 'integer' } }, $comment: 'x'.repeat(500_000) }),
    'scenarios/order.md': scenarioText('RT-order', { path: '/orders/7' }).replace(
      '- status=200',
      '- body matches schema large.json',
    ),
  });
  t.match(await workspace.vp(['run', '--local', 'scenarios']), { code: 1, stdout: /`id` must be integer/ });
  const controlPlane = await startTestControlPlane(t, workspace);
  await controlPlane.registerInstance('shop');
  t.match(await controlPlane.vp(['scenarios', 'push', 'scenarios']), { code: 0, stdout: /created {2}RT-order/ });
  t.ok((await controlPlane.control.catalogue.get('shop', 'RT-order')).text.length > 500_000);
});

t.test('a YAML file of nested aliases is not written out', async (t) => {
  const levels = Array.from({ length: 30 }, (_, index) => `l${index + 1}: &l${index + 1} [*l${index}, *l${index}]`);
  const { vp } = createWorkspace(t, 'http://127.0.0.1:9', {
    'scenarios/a.yaml': `l0: &l0 { type: string }\n${levels.join('\n')}\n`,
    'scenarios/circle.yaml': '&a { a: *a }\n',
    'scenarios/a.md': scenarioText('RT-a', { path: '/a' }).replace(
      '- status=200',
      '- body matches schema a.yaml\n- body equals file circle.yaml',
    ),
  });
  t.match(await vp(['validate', 'scenarios']), { code: 2, stdout: /it is not YAML/ });
});

t.test('a run sends files of the folder, and none from elsewhere', async (t) => {
  const received: string[] = [];
  const { origin, arrived } = await startTarget(t, (request, response, { body }) => {
    received.push(`${request.headers['content-type']}\n${body}`);
    respondWithJson({ ok: true }, 201)(request, response, { body, method: '', url: '', rawHeaders: [] });
  });
  const upload = (path: string): string =>
    scenarioText('RT-upload', { path: '/files' })
      .replaceAll('GET ', 'POST ')
      .replace(
        'X-Request-Id: ${correlation_id}',
        `X-Request-Id: \${correlation_id}\n\n~~~multipart\ntitle = a\nfile = @${path}\n~~~`,
      );
  const { vp, write, folder } = createWorkspace(t, origin, {
    'scenarios/a.md': upload('data/a.txt').replace('status=200', 'status=201'),
    'scenarios/data/a.txt': 'line one\r\nline two\n\n',
    'scenarios/.secret': 'a secret',
    'outside.txt': 'outside',
  });
  const run = await vp(['run', '--local', 'scenarios']);
  t.equal(run.code, 0, run.stdout);
  t.equal(arrived.length, 1);
  const [text = ''] = received;
  const boundary = /boundary=(\S+)/.exec(text)?.[1] ?? '';
  t.match(
    text,
    `name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nline one\r\nline two\n\n\r\n--${boundary}--`,
  );
  symlinkSync(join(folder, 'outside.txt'), join(folder, 'scenarios/linked.txt'));
  for (const path of ['../outside.txt', '.secret', 'linked.txt', join(folder, 'outside.txt'), 'data']) {
    write('scenarios/a.md', upload(path));
    t.match(await vp(['validate', 'scenarios']), { code: 2, stdout: /SCENARIO_FILE_ABSENT/ }, path);
    t.equal((await vp(['run', '--local', 'scenarios'])).code, 2, path);
  }
  writeFileSync(join(folder, 'scenarios/large.bin'), Buffer.alloc(600_001));
  write('scenarios/a.md', upload('large.bin'));
  t.match(await vp(['validate', 'scenarios']), { code: 2, stdout: /large\.bin` has 600001 bytes/ });
  t.equal(arrived.length, 1, 'nothing else was sent');
});

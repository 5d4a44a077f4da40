/** `vp import`: what is written, what stays, what is sent, and what is said. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { createWorkspace } from '../test-workspace.ts';

const document = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/items': {
      get: {
        operationId: 'items',
        responses: {
          200: {
            content: {
              'application/json': {
                schema: { type: 'object', required: ['count', 'gone'], properties: { count: { type: 'integer' } } },
              },
            },
          },
        },
      },
      post: { operationId: 'add', responses: { 201: {} } },
    },
    '/missing': { get: { operationId: 'missing', responses: { 200: {} } } },
    '/items/{id}': {
      get: {
        operationId: 'item',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: {} },
      },
    },
  },
});

t.test('scenarios are written once: a changed file stays without --force', async (t) => {
  const { vp, folder, write } = createWorkspace(t, 'http://127.0.0.1:9', { 'shop.json': document });
  const first = await vp(['import', 'openapi', 'shop.json', '--json']);
  t.equal(first.code, 0, first.stderr);
  const { scenarios, variables } = JSON.parse(first.stdout);
  t.match(scenarios, [{ id: 'RT-GET-items', state: 'created' }, {}, {}, {}]);
  t.match(variables, [{ name: 'ID', secret: false }]);
  const file = join(folder, scenarios[0].file);
  t.ok(existsSync(file));
  t.match(await vp(['validate', scenarios[0].file]), { code: 0 });
  t.match(await vp(['format', '--check', scenarios[0].file]), { code: 0 });

  t.match(await vp(['import', 'openapi', 'shop.json']), { code: 0, stdout: /unchanged +4 scenarios/ });
  const changed = readFileSync(file, 'utf8').replace('status=200', 'status=204');
  write(scenarios[0].file, changed);
  t.match(await vp(['import', 'openapi', 'shop.json']), { code: 1, stdout: /not replaced +1 scenario: .*--force/s });
  t.equal(readFileSync(file, 'utf8'), changed);
  t.match(await vp(['import', 'openapi', 'shop.json', '--force']), { code: 0, stdout: /replaced +1 scenario/ });
  t.match(readFileSync(file, 'utf8'), 'status=200');
});

t.test('--dry-run writes nothing, and standard input is a source', async (t) => {
  const { vp, folder } = createWorkspace(t, 'http://127.0.0.1:9');
  const before = readdirSync(folder, { recursive: true });
  const { code, stdout } = await vp(['import', 'openapi', '-', '--dry-run'], { stdin: Readable.from([document]) });
  t.equal(code, 0);
  t.match(stdout, /would write +4 scenarios/);
  t.notMatch(stdout, /^Next$/m, 'no heading without a command below it');
  t.same(readdirSync(folder, { recursive: true }), before);
});

t.test('--against takes checks from two answers, and sends nothing that may change data', async (t) => {
  let count = 0;
  const requests: string[] = [];
  const target = await startHttpTarget((request, response, arrived) => {
    requests.push(`${request.method} ${request.url}`);
    count += 1;
    if (request.url === '/missing') return respondWithJson({ error: 'no' }, 404)(request, response, arrived);
    return respondWithJson({ count, state: 'open', at: `2026-01-01T00:00:0${count % 10}Z` })(
      request,
      response,
      arrived,
    );
  });
  t.teardown(() => target.close());
  const { vp, folder } = createWorkspace(t, target.origin, { 'shop.json': document });
  const { code, stdout, stderr } = await vp(['import', 'openapi', 'shop.json', '--against', target.origin, '--json']);
  t.equal(code, 0, stderr);
  t.same([...requests].sort(), ['GET /items', 'GET /items', 'GET /missing', 'GET /missing']);
  const { scenarios } = JSON.parse(stdout);
  t.match(
    scenarios.map(({ id, target: seen }: { id: string; target: unknown }) => [id, seen]),
    [
      [
        'RT-GET-items',
        {
          added: ['body has state equals open', /^body has at matching/],
          dropped: [],
          failing: [{ check: 'body has gone' }],
        },
      ],
      ['RT-POST-add', { not_sent: 'it may change data' }],
      ['RT-GET-missing', { added: [], failing: [{ check: 'status=200', actual: '404' }] }],
      ['RT-GET-item', { not_sent: '${ID} has no value yet' }],
    ],
  );
  const text = readFileSync(join(folder, scenarios[0].file), 'utf8');
  t.match(
    text,
    '- body has count matching ^-?[0-9]+$\n- body has gone\n- body has state equals open\n- body has at matching',
  );
  t.match(readFileSync(join(folder, scenarios[2].file), 'utf8'), '- status=200\n', 'what is documented stays');
});

t.test('a proposed check that nothing makes fail is left out', async (t) => {
  const target = await startHttpTarget(respondWithJson({ a: 'some text here', n: 1 }));
  t.teardown(() => target.close());
  const { vp, folder } = createWorkspace(t, target.origin);
  writeFileSync(join(folder, 'a.hurl'), `GET ${target.origin}/x\nHTTP 200\n[Asserts]\njsonpath "$.a" matches /.*/\n`);
  const { stdout } = await vp(['import', 'hurl', 'a.hurl', '--against', target.origin, '--json']);
  const [scenario] = JSON.parse(stdout).scenarios;
  t.match(scenario.target, { dropped: ['body has a matching .*'], added: ['body has n matching ^[0-9]+$'] });
  t.notMatch(readFileSync(join(folder, scenario.file), 'utf8'), 'matching .*');
});

t.test('people see files, values to supply and what was not translated', async (t) => {
  const { vp } = createWorkspace(t, 'http://127.0.0.1:9', {
    'a.sh': "curl https://h/a -H 'X-Api-Key: geheim'\ncurl -F a=@b https://h/b -F 'c=<d'\n",
  });
  const { stdout, code } = await vp(['import', 'curl', 'a.sh']);
  t.equal(code, 0);
  t.match(stdout, /written +2 scenarios: .*RT-GET-a\.md/);
  t.match(stdout, /secrets +replaced by variables: X_API_KEY/);
  t.match(stdout, /not translated +1 item/);
  t.match(stdout, /missing +1 file that requests send.*scenarios\/b: `b` is not in the folder of the source/s);
  t.match(stdout, /vp validate /);
  t.notMatch(stdout, /geheim/);
});

t.test('wrong sources are refused with the fix', async (t) => {
  const { vp, write } = createWorkspace(t, 'http://127.0.0.1:9', { 'empty.json': '{}' });
  write('folder/x.txt', 'x');
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['postman', 'nowhere.json'], 'IMPORT_SOURCE_MISSING'],
    [['bruno', 'folder'], 'IMPORT_FOLDER_EMPTY'],
    [['openapi', 'empty.json'], 'IMPORT_NOTHING'],
    [['soap', 'empty.json'], 'FLAG_INVALID'],
    [['har'], 'COMMAND_WORD_MISSING'],
  ];
  for (const [args, expected] of cases) {
    const { code, stdout } = await vp(['import', ...args, '--json']);
    t.equal(code, 2, expected);
    t.match(JSON.parse(stdout), { error: { code: expected } });
  }
  const folder = join(createWorkspace(t, 'http://127.0.0.1:9').folder);
  writeFileSync(join(folder, 'binary.har'), Buffer.from([0xff, 0xfe, 0x00]));
  t.match(await vp(['import', 'har', join(folder, 'binary.har')]), { code: 2, stderr: /IMPORT_SOURCE_UNREADABLE/ });
});

t.test('a target that does not answer, or an interrupt, writes nothing and is no success', async (t) => {
  const { vp, start, folder } = createWorkspace(t, 'http://127.0.0.1:9', { 'shop.json': document });
  const before = readdirSync(folder, { recursive: true });
  const refused = await vp(['import', 'openapi', 'shop.json', '--against', 'http://127.0.0.1:9', '--json']);
  t.equal(refused.code, 4);
  t.match(JSON.parse(refused.stdout), { error: { code: 'IMPORT_UNANSWERED', message: /2 scenarios.*127\.0\.0\.1:9/ } });
  t.same(readdirSync(folder, { recursive: true }), before);

  const { promise: isRequested, resolve: requested } = Promise.withResolvers<void>();
  const target = await startHttpTarget(() => requested());
  t.teardown(() => target.close());
  const interrupted = start(['import', 'openapi', 'shop.json', '--against', target.origin]);
  await isRequested;
  interrupted.interrupt();
  t.equal(await interrupted.ended, 130);
  t.match(interrupted.written.stderr, /IMPORT_INTERRUPTED/);
  t.same(readdirSync(folder, { recursive: true }), before);
});

t.test('scenarios whose response gives no checks are told with the reason, and are exit code 1', async (t) => {
  const target = await startHttpTarget((request, response, arrived) => {
    if (request.url === '/missing') return void request.socket.destroy();
    return respondWithJson({ state: 'open' })(request, response, arrived);
  });
  t.teardown(() => target.close());
  const { vp } = createWorkspace(t, target.origin, { 'shop.json': document });
  const { code, stdout } = await vp(['import', 'openapi', 'shop.json', '--against', target.origin]);
  t.equal(code, 1);
  t.match(stdout, /✓ sent twice +1 scenario/);
  t.match(stdout, /! no checks +1 scenario: .*closed/i);
  t.match(stdout, /! not sent +1 scenario: it may change data/);
});

t.test('files that requests send are copied from beside the source, and missing ones are named', async (t) => {
  const { vp, folder, write } = createWorkspace(t, 'http://127.0.0.1:9', {
    'calls/upload.hurl':
      'POST http://shop.example/files\n[Multipart]\nphoto: file,pics/lamp.png;\nlist: file,../outside.csv;\nenv: file,.secret;\npage: file,absent.pdf;\nother: file,{{file}};\nHTTP 201\n',
    'calls/pics/lamp.png': 'a lamp',
    'calls/.secret': 'a secret',
    'outside.csv': 'outside',
    'scenarios/keep.md': 'not a scenario',
  });
  const dry = await vp(['import', 'hurl', 'calls', '--dry-run']);
  t.match(dry.stdout, /would copy +1 file that requests send: scenarios\/lamp\.png/);
  t.notOk(existsSync(join(folder, 'scenarios/lamp.png')));
  const { code, stdout } = await vp(['import', 'hurl', 'calls', '--json']);
  t.equal(code, 0, stdout);
  t.match(JSON.parse(stdout).files, [
    { file: 'scenarios/lamp.png', path: 'pics/lamp.png', state: 'copied' },
    {
      file: 'scenarios/outside.csv',
      state: 'missing',
      reason: /`\.\.\/outside\.csv` is not in the folder of the source/,
    },
    { file: 'scenarios/secret', state: 'missing' },
    { file: 'scenarios/absent.pdf', state: 'missing' },
    { state: 'missing', reason: /does not say which file/ },
  ]);
  t.equal(readFileSync(join(folder, 'scenarios/lamp.png'), 'utf8'), 'a lamp');
  t.notOk(existsSync(join(folder, 'scenarios/outside.csv')));
  write('scenarios/lamp.png', 'another lamp');
  const again = await vp(['import', 'hurl', 'calls']);
  t.match(again.stdout, /missing +4 files that requests send: put them there before a run/);
  t.equal(readFileSync(join(folder, 'scenarios/lamp.png'), 'utf8'), 'another lamp', 'what is there stays');
});

t.test(
  'a multipart operation of a document is sent with a file of the folder, and a form with all of its fields',
  async (t) => {
    const file = (name: string, type: string) => ({ [name]: { contentType: type } });
    const parts = {
      schema: {
        type: 'object',
        properties: {
          photo: { type: 'string', format: 'binary' },
          labels: { type: 'array', items: { type: 'string' } },
        },
      },
      encoding: file('photo', 'image/png'),
      example: { labels: ['red', 'tall'] },
    };
    const form = {
      example: { name: 'Ana & Bo', ids: [1, 2], card: { no: '4' } },
      encoding: { card: { style: 'deepObject' } },
    };
    const post = (operationId: string, type: string, content: object) => ({
      post: { operationId, requestBody: { content: { [type]: content } }, responses: { 201: {} } },
    });
    const api = {
      openapi: '3.0.3',
      info: { title: 'Files', version: '1' },
      paths: {
        '/files': post('upload', 'multipart/form-data', parts),
        '/people': post('register', 'application/x-www-form-urlencoded', form),
      },
    };
    const received: Record<string, readonly (readonly [string, string])[]> = {};
    const target = await startHttpTarget(async (request, response, { body }) => {
      // The runtime's own parser, which knows nothing of how the body was written.
      const headers = { 'content-type': request.headers['content-type'] ?? '' };
      const data = await new Response(body, { headers }).formData();
      const read = async (value: FormDataEntryValue): Promise<string> =>
        typeof value === 'string' ? value : `${value.name} ${value.type} ${await value.text()}`;
      const values = await Promise.all([...data].map(async ([name, value]) => [name, await read(value)] as const));
      received[request.url ?? ''] = values;
      response.writeHead(201).end();
    });
    t.teardown(() => target.close());
    const { vp, write } = createWorkspace(t, target.origin, { 'api/files.json': JSON.stringify(api) });
    const imported = await vp(['import', 'openapi', 'api/files.json']);
    t.match(imported, { code: 0, stdout: /missing +1 file that requests send/ });
    t.match(await vp(['run', '--local', 'test/scenarios']), { code: 2, stderr: /photo\.png/ }, 'a run needs the file');
    write('test/scenarios/photo.png', 'a photo');
    t.match(await vp(['run', '--local', 'test/scenarios']), { code: 0, stdout: /2 passed/ });
    t.same(received['/files'], [
      ['photo', 'photo.png image/png a photo'],
      ['labels', 'red'],
      ['labels', 'tall'],
    ]);
    t.same(received['/people'], [
      ['name', 'Ana & Bo'],
      ['ids', '1'],
      ['ids', '2'],
      ['card[no]', '4'],
    ]);
  },
);

const hurlFile = `POST http://localhost:8000/jobs
[Form]
kind: export
HTTP 201
[Captures]
job: jsonpath "$.id"
[Asserts]
header "Location" matches /^\\/jobs\\/\\d+$/

GET http://localhost:8000/jobs/{{job}}
[Options]
retry: 20
retry-interval: 50ms
HTTP 200
[Asserts]
jsonpath "$.state" == "done"

PUT http://localhost:8000/jobs/{{job}}/file
[Multipart]
title: of {{job}}
file: file,data.txt;
HTTP 204

GET http://localhost:8000/jobs/{{job}}/page
HTTP 200
[Asserts]
xpath "string(//h1)" == "Job 7"
xpath "//li" count == 2
body contains "<li>"
`;

t.test('a file of hurl says the same as a scenario: it passes, and notices what has changed', async (t) => {
  let polls = 0;
  const received: string[] = [];
  const heading = { text: 'Job 7' };
  const target = await startHttpTarget((request, response, { body }) => {
    received.push(`${request.method} ${request.url} ${body}`);
    const answer = (status: number, type: string, text: string, headers = {}): void => {
      response.writeHead(status, { 'content-type': type, ...headers });
      response.end(text);
    };
    if (request.method === 'POST') return answer(201, 'application/json', '{"id":7}', { location: '/jobs/7' });
    if (request.method === 'PUT') return answer(204, 'text/plain', '');
    if (request.url?.endsWith('/page')) return answer(200, 'text/html', `<h1>${heading.text}</h1><ul><li>a<li>b</ul>`);
    polls += 1;
    return answer(200, 'application/json', JSON.stringify({ state: polls > 2 ? 'done' : 'running' }));
  });
  t.teardown(() => target.close());
  const { vp } = createWorkspace(t, target.origin, { 'calls/job.hurl': hurlFile, 'calls/data.txt': 'the data' });
  t.equal((await vp(['import', 'hurl', 'calls'])).code, 0);
  const passed = await vp(['run', '--local', 'test/scenarios']);
  t.equal(passed.code, 0, passed.stdout);
  t.match(received, [
    /^POST \/jobs kind=export$/,
    ...Array.from({ length: 3 }, () => /^GET \/jobs\/7 $/),
    /^PUT \/jobs\/7\/file [\s\S]*of 7[\s\S]*filename="data\.txt"[\s\S]*the data/,
    /^GET \/jobs\/7\/page/,
  ]);
  heading.text = 'Job 8';
  t.match(await vp(['run', '--local', 'test/scenarios']), { code: 1, stdout: /Job 8/ });
});

/** Multipart bodies of other tools become fences `multipart`, with the files that they send beside the scenarios. */
import t from 'tap';
import { parseCurlCommand } from '../../src/scenario/curl-import.ts';
import { importTexts } from './import-text.ts';

const fence = (text: string): readonly string[] => /~~~multipart\n([\s\S]*?)\n~~~/.exec(text)?.[1]?.split('\n') ?? [];

t.test('a collection of Postman: fields, several files, a chosen type, and a file that nobody chose', async (t) => {
  const collection = {
    info: { name: 'shop' },
    item: [
      {
        name: 'upload',
        request: {
          method: 'POST',
          url: 'http://shop.example/files',
          header: [{ key: 'Content-Type', value: 'multipart/form-data' }],
          body: {
            mode: 'formdata',
            formdata: [
              { key: 'title', value: 'for {{user}}', type: 'text' },
              { key: 'at', value: '@home', type: 'text' },
              { key: 'access_token', value: 'q8ZkP2vL9xYb', type: 'text' },
              { key: 'off', value: 'x', type: 'text', disabled: true },
              { key: 'photo', type: 'file', src: '/C:/Users/ana/red lamp.png', contentType: 'image/png' },
              { key: 'pages', type: 'file', src: ['a/page.pdf', 'b/page.pdf'] },
              { key: 'later', type: 'file', src: null },
              { key: 'note', value: 'two\nlines', type: 'text' },
            ],
          },
        },
      },
    ],
  };
  const { text, uploads, untranslated, variables } = await importTexts(t, 'postman', {
    'shop.json': JSON.stringify(collection),
  });
  t.same(fence(text('RT-POST-upload')), [
    'title = for ${user}',
    'at = @@home',
    'access_token = ${ACCESS_TOKEN}',
    'photo = @red lamp.png; type=image/png',
    'pages = @page.pdf',
    'pages = @page-2.pdf',
    'later = @later.bin',
  ]);
  t.notMatch(text('RT-POST-upload'), /Content-Type|q8ZkP2vL9xYb/);
  t.match(variables, [
    { name: 'ACCESS_TOKEN', isSecret: true },
    { name: 'user', isSecret: false },
  ]);
  t.same(
    uploads.map(({ name, path, source }) => [name, path, source]),
    [
      ['red lamp.png', '/C:/Users/ana/red lamp.png', 'shop.json'],
      ['page.pdf', 'a/page.pdf', 'shop.json'],
      ['page-2.pdf', 'b/page.pdf', 'shop.json'],
      ['later.bin', '', 'shop.json'],
    ],
  );
  t.match(untranslated, [{ item: 'the field note', reason: /no line break/ }]);
});

t.test('curl: -F and --form-string, with the options of files', async (t) => {
  const command = String.raw`curl https://shop.example/files -F 'title=a;type=text/plain' -F "photo=@pics/lamp.png;type=image/png;filename=x.png" \
  -F 'page=@page.pdf' --form-string 'raw=@no;type=x' -F 'password=hunter22secret' -F 'long=<long.txt' -H 'Content-Type: multipart/form-data'`;
  const { text, uploads, untranslated, scenarios } = await importTexts(t, 'curl', { 'calls.sh': command });
  t.same(fence(text(scenarios[0]?.id ?? '')), [
    'title = a',
    'photo = @lamp.png; type=image/png; filename=x.png',
    'page = @page.pdf',
    'raw = @@no;type=x',
    'password = ${PASSWORD}',
  ]);
  t.match(scenarios[0]?.id, /^RT-POST-/);
  t.same(
    uploads.map(({ path }) => path),
    ['pics/lamp.png', 'page.pdf'],
  );
  t.match(untranslated, [{ reason: /field long is in the file long\.txt/ }]);
  t.match(parseCurlCommand('curl http://a.example/b -F file=@c.txt'), {
    request: { method: 'POST', fence: 'multipart', body: 'file = @c.txt' },
    notes: ['The file c.txt is sent: put it beside the scenario as c.txt.'],
  });
});

const boundary = '----WebKitFormBoundaryA1';
const recorded = (parts: readonly string[]): string =>
  `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`;

function createHar(postData: object) {
  const entry = {
    request: {
      method: 'POST',
      url: 'https://shop.example/files',
      headers: [{ name: 'Content-Type', value: `multipart/form-data; boundary=${boundary}` }],
      postData,
    },
    response: { status: 201, headers: [], content: { mimeType: 'application/json', text: '{"id":1}' } },
  };
  return JSON.stringify({ log: { version: '1.2', entries: [entry] } });
}

t.test('a recording: text files have their content, others and those with a secret are missing', async (t) => {
  const disposition = 'Content-Disposition: form-data; name=';
  const text = recorded([
    `${disposition}"title"\r\n\r\nlamp`,
    `${disposition}"list"; filename="list.csv"\r\nContent-Type: text/csv\r\n\r\na,b\r\n1,2\r\n`,
    `${disposition}"photo"; filename="lamp.png"\r\nContent-Type: image/png\r\n\r\n`,
    `${disposition}"broken"; filename="b.bin"\r\n\r\n\uFFFDPNG`,
    `${disposition}"env"; filename="env.txt"\r\n\r\nKEY=sk_live_4eC39HqLyjWDarjtT1zdp7dc`,
  ]);
  const { uploads, scenarios, untranslated } = await importTexts(t, 'har', {
    'a.har': createHar({ mimeType: `multipart/form-data; boundary=${boundary}`, text }),
  });
  t.same(fence(scenarios[0]?.text ?? ''), [
    'title = lamp',
    'list = @list.csv; type=text/csv',
    'photo = @lamp.png; type=image/png',
    'broken = @b.bin',
    'env = @env.txt',
  ]);
  t.same(
    uploads.map(({ name, content }) => [name, content]),
    [
      ['list.csv', 'a,b\r\n1,2\r\n'],
      ['lamp.png', undefined],
      ['b.bin', undefined],
      ['env.txt', undefined],
    ],
  );
  t.match(untranslated, [{ item: 'the file env.txt', reason: /has a secret/ }]);
});

t.test('a recording that has a list of fields in place of the text', async (t) => {
  const params = [
    { name: 'title', value: 'lamp' },
    { name: 'photo', fileName: 'lamp.png', contentType: 'image/png' },
  ];
  const { scenarios, uploads } = await importTexts(t, 'har', {
    'a.har': createHar({ mimeType: 'multipart/form-data', params }),
  });
  t.same(fence(scenarios[0]?.text ?? ''), ['title = lamp', 'photo = @lamp.png; type=image/png']);
  t.match(uploads, [{ name: 'lamp.png', source: 'a.har' }]);
});

t.test('hurl: fields, files, and the names of both sections', async (t) => {
  for (const section of ['MultipartFormData', 'Multipart']) {
    const source = `POST http://shop.example/files\n[${section}]\ntitle: for {{user}} # whom\nphoto: file,pics/red\\ lamp.png; image/png\npage: file,page.pdf;\nHTTP 201\n`;
    const { text, uploads } = await importTexts(t, 'hurl', { 'upload.hurl': source });
    t.same(fence(text('RT-POST-upload')), [
      'title = for ${user}',
      'photo = @red lamp.png; type=image/png',
      'page = @page.pdf',
    ]);
    t.same(
      uploads.map(({ path }) => path),
      ['pics/red lamp.png', 'page.pdf'],
    );
  }
});

t.test('Bruno: fields, several files and their type; one that is off is left out', async (t) => {
  const source = `meta {
  name: upload
  type: http
  seq: 1
}

post {
  url: http://shop.example/files
  body: multipartForm
  auth: none
}

body:multipart-form {
  title: for {{user}}
  photos: @file(pics/a.png|pics/b.png) @contentType(image/png)
  ~off: no
}
`;
  const { text, uploads } = await importTexts(t, 'bruno', { 'files/upload.bru': source });
  t.same(fence(text('RT-POST-upload')), [
    'title = for ${user}',
    'photos = @a.png; type=image/png',
    'photos = @b.png; type=image/png',
  ]);
  t.match(uploads, [{ source: 'files/upload.bru', path: 'pics/a.png' }, { path: 'pics/b.png' }]);
});

const upload = {
  type: 'object',
  required: ['title', 'photo', 'pages', 'labels', 'address', 'data', 'raw', 'state', 'id'],
  properties: {
    id: { type: 'integer', readOnly: true },
    title: { type: 'string', example: '@home' },
    photo: { type: 'string', format: 'binary' },
    pages: { type: 'array', items: { type: 'string', format: 'binary' } },
    labels: { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/Label' } },
    address: { type: 'object', properties: { city: { type: 'string', example: 'Bonn' } } },
    data: { type: 'string', contentMediaType: 'text/csv' },
    raw: {},
    state: { type: 'string', enum: ['draft', 'final'] },
    note: { type: 'string' },
  },
};

const createDocument = (operation: object, version: object = { openapi: '3.1.0' }): string =>
  JSON.stringify({
    ...version,
    info: { title: 'Files', version: '1' },
    paths: { '/files': { post: { operationId: 'upload', responses: { 201: {} }, ...operation } } },
    components: { schemas: { Label: { type: 'string', example: 'red' } } },
  });

t.test('OpenAPI: files, lists and objects as properties and `encoding` say', async (t) => {
  const encoding = {
    photo: { contentType: 'image/*, image/png', headers: { 'X-Rate': { schema: { type: 'integer' } } } },
    pages: { contentType: 'application/pdf' },
  };
  const content = { 'multipart/form-data': { schema: upload, encoding, example: { pages: ['a.pdf', 'b.pdf'] } } };
  const { text, uploads, untranslated } = await importTexts(t, 'openapi', createDocument({ requestBody: { content } }));
  t.same(fence(text('RT-POST-upload')), [
    'title = @@home',
    'photo = @photo.png; type=image/png',
    'pages = @a.pdf; type=application/pdf',
    'pages = @b.pdf; type=application/pdf',
    'labels = red',
    'address = {"city":"Bonn"}',
    'data = @data.csv; type=text/csv',
    'raw = @raw.bin',
    'state = draft',
  ]);
  t.notMatch(text('RT-POST-upload'), 'Content-Type');
  t.same(
    uploads.map(({ name, source }) => [name, source]),
    ['photo.png', 'a.pdf', 'b.pdf', 'data.csv', 'raw.bin'].map((name) => [name, 'source.openapi']),
  );
  t.match(untranslated, [
    { source: 'POST /files', item: 'the headers of the part photo' },
    { item: 'the type of the part address', reason: 'it is sent as text, not as application/json' },
  ]);
});

t.test('OpenAPI 2: a parameter of the type file makes the form a multipart body', async (t) => {
  const operation = {
    consumes: ['application/x-www-form-urlencoded', 'multipart/form-data'],
    parameters: [
      { name: 'file', in: 'formData', type: 'file', required: true },
      { name: 'title', in: 'formData', type: 'string', required: true, default: 'lamp' },
      { name: 'more', in: 'formData', type: 'string' },
    ],
  };
  const { text } = await importTexts(t, 'openapi', createDocument(operation, { swagger: '2.0' }));
  t.same(fence(text('RT-POST-upload')), ['file = @file.bin', 'title = lamp']);
});

t.test('OpenAPI: lists and objects of a form, by `encoding` and without', async (t) => {
  const example = { ids: [1, 2], tags: ['a', 'b'], marks: ['c', 'd'], card: { no: '4', exp: [1, 2] }, plain: { a: 1 } };
  const encoding = {
    tags: { style: 'form', explode: false },
    marks: { style: 'pipeDelimited', explode: false },
    card: { style: 'deepObject', explode: true },
  };
  const content = { 'application/x-www-form-urlencoded': { schema: { type: 'object' }, example, encoding } };
  const { text } = await importTexts(t, 'openapi', createDocument({ requestBody: { content } }));
  t.same(/~~~form\n([\s\S]*?)\n~~~/.exec(text('RT-POST-upload'))?.[1]?.split('\n'), [
    'ids = 1',
    'ids = 2',
    'tags = a,b',
    'marks = c|d',
    'card[no] = 4',
    'card[exp][0] = 1',
    'card[exp][1] = 2',
    'plain = {"a":1}',
  ]);
  const broken = { 'application/x-www-form-urlencoded': { example: { note: 'two\nlines' } } };
  const lines = await importTexts(t, 'openapi', createDocument({ requestBody: { content: broken } }));
  t.match(lines.text('RT-POST-upload'), /Content-Type: application\/x-www-form-urlencoded\n[\s\S]*note=two%0Alines/);
});

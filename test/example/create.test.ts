import t from 'tap';
import { apiToken, startTestExample } from './test-example.ts';

const valid = {
  document: { title: 'Offer', pages: 2, folderId: 'folder-0003' },
  envelope: { subject: 'Please sign: offer', recipient: 'edsger@customer.example', documentId: 'document-0004' },
  folder: { name: 'Offers' },
  template: { name: 'Offer', subject: 'Please sign: offer' },
};

t.test('a valid create is answered 201 with the row and where it is, and is then listed last', async (t) => {
  const clock = { nowMs: () => Date.parse('2026-11-20T09:30:31.123Z'), monotonicMs: () => 0 };
  const { sendRequest: ask } = await startTestExample(t, { clock });
  for (const [name, sent] of Object.entries(valid)) {
    const { status, headers, body } = await ask('POST', `/api/v2/${name}`, { body: sent });
    t.equal(status, 201, name);
    t.match(body, { ...sent, id: new RegExp(`^${name}-[0-9a-f-]{36}$`), createdAt: '2026-11-20T09:30:31.123Z' });
    const location = headers.get('location') ?? '';
    t.same((await ask('GET', location)).body, body, 'it can be read at its location');
    const list = JSON.stringify((await ask('GET', `/api/v2/${name}`)).body);
    t.match(list, new RegExp(`${JSON.stringify(body).replaceAll(/[{}[\]().*+?^$|\\]/g, '\\$&')}\\]`));
  }
});

t.test('an envelope begins as created, whatever is sent', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  const { body } = await ask('POST', '/api/v2/envelope', { body: valid.envelope });
  t.match(body, { status: 'created', sentAt: null, deliveredAt: null });
  const forged = await ask('POST', '/api/v2/envelope', { body: { ...valid.envelope, status: 'delivered', id: 'x' } });
  t.equal(forged.status, 400);
  t.match(forged.body, { problems: [{ field: 'status' }, { field: 'id' }] });
});

t.test('an optional reference may be omitted or null', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  for (const body of [
    { title: 'Note', pages: 1 },
    { title: 'Note', pages: 1, folderId: null },
  ]) {
    t.match(await ask('POST', '/api/v2/document', { body }), { status: 201, body: { folderId: null } });
  }
});

t.test('text is stored as it was sent', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  for (const name of ["Robert'); DROP TABLE folder;--", '契約 📄', '"quoted" \\ and $1 ?1', 'x'.repeat(120)]) {
    t.match(await ask('POST', '/api/v2/folder', { body: { name } }), { status: 201, body: { name } });
  }
});

t.test('all problems of a body are reported at once', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  const body = { title: '', pages: 0, folderId: 7, colour: 'red' };
  t.match(await ask('POST', '/api/v2/document', { body }), {
    status: 400,
    body: {
      error: 'invalid',
      message: 'the document is not valid',
      problems: [
        { field: 'title', message: 'must have 1 to 200 characters' },
        { field: 'pages', message: 'must be a whole number from 1 to 10000' },
        { field: 'folderId', message: 'must be text' },
        { field: 'colour', message: 'is not known; known are: title, pages, folderId' },
      ],
    },
  });
});

const wrong: readonly [collection: string, body: unknown, field: string, message: RegExp][] = [
  ['document', { pages: 1 }, 'title', /missing/],
  ['document', { title: null, pages: 1 }, 'title', /must be text/],
  ['document', { title: 'a', pages: '1' }, 'pages', /whole number/],
  ['document', { title: 'a', pages: 1.5 }, 'pages', /whole number/],
  ['document', { title: 'a', pages: 10_001 }, 'pages', /10000/],
  ['document', { title: 'a', pages: 1, folderId: 'folder-9' }, 'folderId', /no folder with this id/],
  ['document', { title: 'a', pages: 1, folderId: 'a\u0000b' }, 'folderId', /control characters/],
  ['envelope', { ...valid.envelope, documentId: 'document-9' }, 'documentId', /no document with this id/],
  ['envelope', { ...valid.envelope, documentId: null }, 'documentId', /must be text/],
  ['envelope', { ...valid.envelope, recipient: 'nobody' }, 'recipient', /mail address/],
  ['envelope', { ...valid.envelope, recipient: 'a@b@c' }, 'recipient', /mail address/],
  ['envelope', { ...valid.envelope, recipient: 'a@b c' }, 'recipient', /mail address/],
  ['envelope', { ...valid.envelope, recipient: 5 }, 'recipient', /must be text/],
  ['folder', { name: 'x'.repeat(121) }, 'name', /1 to 120/],
  ['folder', { name: '   ' }, 'name', /1 to 120/],
  ['folder', { name: 'a\nb' }, 'name', /control characters/],
  ['folder', { name: 'a\u0000b' }, 'name', /control characters/],
  ['folder', { name: 'a\ud83db' }, 'name', /half surrogate/],
  ['folder', { name: ['a'] }, 'name', /must be text/],
  ['template', { name: 'a' }, 'subject', /missing/],
];

t.test('an invalid field is refused by name and nothing is stored', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  const count = async (name: string) => (await ask('GET', `/api/v2/${name}`)).body;
  for (const [collection, body, field, message] of wrong) {
    const before = await count(collection);
    const response = await ask('POST', `/api/v2/${collection}`, { body });
    t.equal(response.status, 400, `${collection} ${JSON.stringify(body).slice(0, 60)}`);
    t.match(response.body, { error: 'invalid', problems: [{ field, message }] });
    t.same(await count(collection), before);
  }
});

t.test('a body that is not a JSON object is refused', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  for (const body of ['', '{', '{"name":}', 'name=a', '{"name":"a"} x', '\ufeff{', 'NaN']) {
    t.match(await ask('POST', '/api/v2/folder', { body }), { status: 400, body: { error: 'bad_request' } }, body);
  }
  for (const body of ['null', '[]', '"a"', '1', '[{"name":"a"}]', '['.repeat(10_000) + ']'.repeat(10_000)]) {
    const response = await ask('POST', '/api/v2/folder', { body });
    t.match(response, { status: 400, body: { problems: [{ field: '', message: /JSON object/ }] } }, body.slice(0, 20));
  }
  const prototype = await ask('POST', '/api/v2/folder', { body: '{"name":"a","__proto__":{"a":1}}' });
  t.match(prototype, { status: 400, body: { problems: [{ field: '__proto__' }] } });
});

t.test('bytes that are not UTF-8 are refused', async (t) => {
  const { example } = await startTestExample(t);
  const response = await fetch(`${example.url}/api/v2/folder`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiToken}` },
    body: Buffer.from('{"name":"\xff"}', 'latin1'),
  });
  t.equal(response.status, 400);
});

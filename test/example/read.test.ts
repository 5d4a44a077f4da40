import t from 'tap';
import { startTestExample } from './test-example.ts';

const names = ['document', 'envelope', 'folder', 'template'];

t.test('an existing row is returned as in the list', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  for (const name of names) {
    const { status, body } = await ask('GET', `/api/v2/${name}/${name}-0001`);
    t.equal(status, 200);
    t.match((await ask('GET', `/api/v2/${name}`)).body, { data: [body] });
  }
});

t.test('an unknown id is answered with 404 and JSON, whatever it looks like', async (t) => {
  const { sendRequest: ask, lines } = await startTestExample(t);
  const strange = [
    'document-9999',
    'x',
    '%00',
    'a%00b',
    '%E0%A4%A',
    "'%20OR%20'1'='1",
    'a'.repeat(4000),
    '..%2f..',
    '%F0%9F%92%A9',
  ];
  for (const id of strange) {
    const { status, body } = await ask('GET', `/api/v2/document/${id}`);
    t.equal(status, 404, id.slice(0, 20));
    t.match(body, { error: 'not_found', message: 'there is no such document' });
  }
  t.equal(lines.filter((line) => Number(line.level) >= 50).length, 0, 'none of them troubles the application');
});

t.test('the id of another collection is not found', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  t.equal((await ask('GET', '/api/v2/document/folder-0001')).status, 404);
});

t.test('HEAD responds like GET, without the body', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  for (const [path, status] of [
    ['document-0001', 200],
    ['document-9', 404],
  ] as const) {
    const response = await ask('HEAD', `/api/v2/document/${path}`);
    t.same([response.status, response.body], [status, undefined]);
  }
});

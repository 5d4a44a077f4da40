import t from 'tap';
import { startTestExample } from './test-example.ts';

const counts = { document: 4, envelope: 3, folder: 3, template: 2 };
const names = Object.keys(counts);

t.test('every list of a new application contains its seeds, the same at every start', async (t) => {
  const first = await startTestExample(t);
  const second = await startTestExample(t);
  for (const [name, count] of Object.entries(counts)) {
    const { status, headers, body } = await first.sendRequest('GET', `/api/v2/${name}`);
    t.equal(status, 200, name);
    t.match(headers.get('content-type'), 'application/json');
    t.match(body, { count, currentPage: 1, perPage: 20, totalPages: 1 });
    t.match(body, { data: [{ id: `${name}-0001` }] });
    t.same(body, (await second.sendRequest('GET', `/api/v2/${name}`)).body, 'the seeds are the same');
  }
});

t.test('a row has its properties under their JSON names and its times in ISO 8601', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  t.match((await ask('GET', '/api/v2/envelope')).body, {
    data: [
      {
        id: 'envelope-0001',
        subject: 'Please sign: supply agreement',
        recipient: 'ada@customer.example',
        documentId: 'document-0001',
        status: 'delivered',
        createdAt: '2026-01-07T11:00:00.000Z',
        sentAt: '2026-01-07T11:01:00.000Z',
        deliveredAt: '2026-01-07T11:02:00.000Z',
      },
      { id: 'envelope-0002', deliveredAt: null },
      { id: 'envelope-0003', sentAt: null, deliveredAt: null },
    ],
  });
});

t.test('the lists of an empty application are valid too', async (t) => {
  const { sendRequest: ask } = await startTestExample(t, { seed: false });
  for (const name of names) {
    const { status, body } = await ask('GET', `/api/v2/${name}`);
    t.equal(status, 200);
    t.same(body, { data: [], count: 0, currentPage: 1, perPage: 20, totalPages: 0 });
  }
});

t.test('a list is divided into pages', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  const list = (query: string) => ask('GET', `/api/v2/document?${query}`);

  t.test('pages are consecutive without gaps or duplicates', async (t) => {
    const ids = [];
    for (const page of [1, 2]) {
      const { body } = await list(`page=${page}&perPage=3`);
      t.match(body, { count: 4, currentPage: page, perPage: 3, totalPages: 2 });
      ids.push(
        ...JSON.stringify(body)
          .matchAll(/"(document-\d+)"/g)
          .map((match) => match[1]),
      );
    }
    t.same(ids, ['document-0001', 'document-0002', 'document-0003', 'document-0004']);
  });

  t.test('a full last page is not followed by an empty one', async (t) => {
    t.match((await list('perPage=2')).body, { count: 4, totalPages: 2 });
    t.match((await list('perPage=4')).body, { count: 4, totalPages: 1 });
    t.match((await list('perPage=1')).body, { count: 4, totalPages: 4 });
  });

  t.test('beyond the last page there is no data, and the counts remain correct', async (t) => {
    t.same((await list('page=9&perPage=3')).body, { data: [], count: 4, currentPage: 9, perPage: 3, totalPages: 2 });
    t.match((await list('page=999999999&perPage=100')).body, { data: [], currentPage: 999_999_999 });
  });

  t.test('a page size above 100 is 100', async (t) => {
    t.match((await list('perPage=1000')).body, { perPage: 100, totalPages: 1 });
    t.match((await list('perPage=101')).body, { perPage: 100 });
    t.match((await list('perPage=100')).body, { perPage: 100 });
  });

  for (const wrong of ['0', '00', '-1', '1.5', '1e3', 'abc', '', ' 1', '0x1', '1000000000', '9'.repeat(400)]) {
    t.test(`page and perPage refuse ${JSON.stringify(wrong.slice(0, 12))}`, async (t) => {
      const value = encodeURIComponent(wrong);
      const { status, body } = await list(`page=${value}&perPage=${value}`);
      t.equal(status, 400);
      t.match(body, { error: 'invalid', problems: [{ field: 'page' }, { field: 'perPage' }] });
    });
  }

  t.test('an unknown parameter is ignored, and the first of a repeated one counts', async (t) => {
    t.match((await list('colour=red')).body, { count: 4 });
    t.match((await list('page=2&page=1')).body, { currentPage: 2 });
  });
});

t.test('envelopes can be listed by their status', async (t) => {
  const { sendRequest: ask } = await startTestExample(t);
  for (const status of ['created', 'sent', 'delivered']) {
    const { body } = await ask('GET', `/api/v2/envelope?status=${status}`);
    t.match(body, { count: 1, totalPages: 1, data: [{ status }] });
  }
  const none = await ask('GET', '/api/v2/envelope?status=voided');
  t.same([none.status, none.body], [200, { data: [], count: 0, currentPage: 1, perPage: 20, totalPages: 0 }]);
  const wrong = await ask('GET', "/api/v2/envelope?status=x'%20OR%201=1");
  t.equal(wrong.status, 400);
  t.match(wrong.body, { problems: [{ field: 'status', message: /created, sent, delivered, voided/ }] });
  t.match((await ask('GET', '/api/v2/folder?status=sent')).body, { count: 3 }, 'other lists have no such filter');
});

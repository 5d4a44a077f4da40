/** Collections of Postman: requests, inherited credentials, scripts, chains. */
import t from 'tap';
import { importTexts } from './import-text.ts';

const script = (...exec: readonly string[]) => [{ listen: 'test', script: { exec } }];

const shop = {
  info: { name: 'Shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{accessToken}}' }] },
  variable: [
    { key: 'baseUrl', value: 'https://shop.example/api/v2' },
    { key: 'apiSecret', value: 'never-write-this' },
    { key: 'size', value: '20' },
  ],
  item: [
    {
      name: 'Log in',
      event: script(
        'const body = pm.response.json();',
        'pm.test("ok", () => { pm.response.to.have.status(200); });',
        'pm.environment.set("accessToken", body.token);',
      ),
      request: {
        method: 'POST',
        auth: { type: 'noauth' },
        url: { raw: '{{baseUrl}}/login' },
        header: [{ key: 'X-Old', value: '1', disabled: true }],
        body: {
          mode: 'raw',
          raw: '{"user": "bob", "password": "{{password}}"}',
          options: { raw: { language: 'json' } },
        },
      },
    },
    {
      name: 'Orders',
      item: [
        {
          name: 'Create an order',
          event: script(
            "pm.test('created', function () {",
            '  pm.response.to.have.status(201);',
            '  const order = pm.response.json().order;',
            '  pm.expect(order.state).to.eql("open");',
            '  pm.expect(order.lines).to.have.lengthOf(2);',
            '  pm.expect(order.total).to.be.above(0);',
            '  pm.expect(order.name).to.match(/^[a-z]+$/);',
            '  pm.expect(order).to.have.property("id");',
            '  pm.expect(compute(order)).to.eql(3);',
            '});',
            'pm.collectionVariables.set("orderId", pm.response.json().order.id);',
          ),
          request: {
            method: 'POST',
            url: '{{baseUrl}}/orders',
            body: {
              mode: 'urlencoded',
              urlencoded: [
                { key: 'item', value: 'lamp' },
                { key: 'no', disabled: true },
              ],
            },
          },
        },
        {
          name: 'Read it',
          request: {
            method: 'GET',
            url: { raw: '{{baseUrl}}/orders/:id?size={{size}}', variable: [{ key: 'id', value: '{{orderId}}' }] },
          },
          response: [{ code: 200, body: '{"id": 17, "state": "open", "at": "2026-01-01T10:00:00Z"}' }],
        },
        {
          name: 'Upload',
          request: { method: 'POST', url: '{{baseUrl}}/files', body: { mode: 'formdata', formdata: [] } },
        },
      ],
    },
  ],
};

t.test('variables of the collection are filled in, its secrets are not', async (t) => {
  const { text, variables } = await importTexts(t, 'postman', JSON.stringify(shop));
  t.match(text('RT-POST-Log-in'), 'POST ${INGESTION_URL}/api/v2/login\n');
  t.match(text('RT-POST-Log-in'), '"password": "${password}"');
  t.notMatch(text('RT-POST-Log-in'), /X-Old|Authorization/);
  t.same(variables, [{ name: 'password', isSecret: false }]);
});

t.test('a request that needs what others capture gets them as steps', async (t) => {
  const { text } = await importTexts(t, 'postman', JSON.stringify(shop));
  const read = text('RT-GET-Read-it');
  t.match(
    read,
    /### Log in\n\nPOST[\s\S]+- status=200\n- capture accessToken = body\.token\n\n### Orders \/ Create an order\n/,
  );
  t.match(read, '- status=201\n- capture orderId = body.order.id\n\n## TRIGGER\n');
  t.match(read, 'GET ${INGESTION_URL}/api/v2/orders/${orderId}?size=20\n');
  t.match(read, 'Authorization: Bearer ${accessToken}\n');
});

t.test('tests become checks, saved examples patterns, and code that is neither is listed', async (t) => {
  const { bullets, untranslated } = await importTexts(t, 'postman', JSON.stringify(shop));
  t.same(bullets('RT-POST-Create-an-order').slice(2), [
    'status=201',
    'body has order.state equals open',
    'body order.lines length = 2',
    'body has order.total matching ^(0\\.0*[1-9][0-9]*|[1-9][0-9]*(\\.[0-9]+)?)$',
    'body has order.name matching ^[a-z]+$',
    'body has order.id',
    'capture orderId = body.order.id',
  ]);
  t.same(bullets('RT-GET-Read-it').slice(4), [
    'status=200',
    'body has id matching ^[0-9]+$',
    'body has state equals open',
    'body has at matching ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}',
  ]);
  t.match(untranslated, [{ source: 'Orders / Create an order', item: /compute\(order\)/, reason: /not translated/ }]);
  t.equal(untranslated.length, 1);
});

t.test('requests of other hosts are listed and not sent to the target', async (t) => {
  const item = ['a', 'b', 'c'].map((name) => ({ name, request: { url: `https://shop.example/${name}` } }));
  const other = { name: 'pay', request: { url: 'https://pay.example/x' } };
  const { scenarios, untranslated } = await importTexts(t, 'postman', JSON.stringify({ item: [...item, other] }));
  t.equal(scenarios.length, 3);
  t.match(untranslated, [{ source: 'pay', reason: /needs https:\/\/pay\.example/ }]);
});

t.test('a collection of a hundred requests has a hundred valid scenarios', async (t) => {
  const item = Array.from({ length: 100 }, (_, index) => ({
    name: `Request ${index}`,
    event: script('pm.response.to.have.status(200);', `pm.expect(pm.response.json().n).to.eql(${index});`),
    request: {
      method: index % 3 === 0 ? 'POST' : 'GET',
      url: `{{baseUrl}}/things/${index % 7}/${index}`,
      body: { mode: 'raw', raw: '{"a": 1}' },
    },
  }));
  const { scenarios, untranslated } = await importTexts(t, 'postman', JSON.stringify({ item }));
  t.equal(scenarios.length, 100);
  t.equal(new Set(scenarios.map(({ id }) => id)).size, 100);
  t.same(untranslated, []);
});

t.test('version 1 and other JSON are refused with the fix', async (t) => {
  const { scenarios, untranslated } = await importTexts(t, 'postman', '{"requests": []}');
  t.same(scenarios, []);
  t.match(untranslated, [{ reason: /Collection v2\.1/ }]);
});

/** Collections of Bruno, curl commands, and what all formats share. */
import t from 'tap';
import { importFormats } from '../../src/import/import-source.ts';
import { importTexts } from './import-text.ts';

const login = `meta {
  name: Log in
  type: http
  seq: 1
}

post {
  url: {{baseUrl}}/login
  body: json
  auth: none
}

body:json {
  {
    "user": "bob"
  }
}

vars:post-response {
  token: res.body.token
}

assert {
  res.status: eq 200
}
`;

const order = `meta {
  name: Get order
  type: http
  seq: 2
}

get {
  url: {{baseUrl}}/orders/:id?full=true
  body: none
  auth: inherit
}

params:path {
  id: 17
}

headers {
  Accept: application/json
  ~X-Off: 1
}

assert {
  res.status: eq 200
  res.body.state: eq paid
  res.body.items.length: eq 2
  res.body.total: isNumber
  res.body.name: isString
  ~res.body.off: eq 1
}

tests {
  test("name", function() {
    expect(res.getBody().name).to.equal("lamp");
  });
}
`;

const collection = `headers {
  X-Team: blue
}

auth {
  mode: bearer
}

auth:bearer {
  token: {{token}}
}

vars:pre-request {
  baseUrl: https://shop.example/v2
}
`;

t.test('a collection is read with its settings; captured variables make steps', async (t) => {
  const { text, bullets, untranslated } = await importTexts(t, 'bruno', {
    'collection.bru': collection,
    'login.bru': login,
    'orders/get order.bru': order,
    'environments/local.bru': 'vars {\n  x: y\n}\n',
  });
  const read = text('RT-GET-Get-order');
  t.match(read, /### login\n\nPOST \$\{INGESTION_URL\}\/v2\/login\n[\s\S]+- capture token = body\.token\n\n## TRIGGER/);
  t.match(read, 'GET ${INGESTION_URL}/v2/orders/17?full=true\n');
  t.match(read, 'Authorization: Bearer ${token}\n');
  t.match(read, 'X-Team: blue\n');
  t.notMatch(read, 'X-Off');
  t.same(bullets('RT-GET-Get-order').slice(2), [
    'status=200',
    'body has state equals paid',
    'body items length = 2',
    'body has total matching ^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$',
    'body has name equals lamp',
  ]);
  t.match(untranslated, [{ source: 'orders/get order.bru', item: 'res.body.name: isString', reason: /isString/ }]);
});

t.test('a file that Bruno refuses is named', async (t) => {
  const { untranslated } = await importTexts(t, 'bruno', { 'a.bru': 'meta {', 'login.bru': login });
  t.match(untranslated, [{ source: 'a.bru', reason: /Bruno’s parser refuses it/ }]);
});

t.test('each curl command of a text is a scenario', async (t) => {
  const { text, scenarios, untranslated } = await importTexts(t, 'curl', {
    'calls.sh': `#!/bin/sh
curl https://shop.example/orders -H 'Authorization: Bearer geheim-abc'
# then
curl -X POST https://shop.example/orders \\
  --json '{"item": "lamp",
"password": "geheim-x"}'
curl -F file=@a.txt https://shop.example/files
`,
  });
  t.same(
    scenarios.map(({ id }) => id),
    ['RT-GET-orders', 'RT-POST-orders', 'RT-POST-files'],
  );
  t.match(text('RT-GET-orders'), 'Authorization: Bearer ${ACCESS_TOKEN}\n');
  t.match(text('RT-POST-orders'), '"password": "${PASSWORD}"');
  t.match(text('RT-POST-orders'), '- status=2xx\n', 'nothing says which status');
  t.same(untranslated, []);
});

t.test('any text of any format gives a list of reasons, never an exception', async (t) => {
  const texts = [
    '',
    '{}',
    '[]',
    'null',
    '<a>',
    'GET',
    'curl',
    '{"log":{"entries":[{}]}}',
    '{"item":[{"request":{}}]}',
    '\u0000',
    '{"openapi":"3.0.0","paths":{"/a":{"get":{"parameters":[{"$ref":"#/a"}]}}}}',
  ];
  for (const format of importFormats)
    for (const text of texts) {
      const { scenarios, untranslated } = await importTexts(t, format, {
        [`x.${format === 'bruno' ? 'bru' : format}`]: text,
      });
      t.ok(
        scenarios.length + untranslated.length > 0 || format === 'curl' || format === 'hurl',
        `${format} ${JSON.stringify(text)}`,
      );
    }
});

/** Files of hurl: what has the same meaning in a scenario, and the list of what has not. */
import t from 'tap';
import { importTexts } from './import-text.ts';

const file = `# orders
POST http://localhost:8000/login
[FormParams]
user: bob
values\\u{5b}0\\u{5d}: 0
HTTP 200
[Captures]
token: jsonpath "$.token"
who: header "X-User" regex "u(.*)"
[Asserts]
jsonpath "$.token" isUuid

GET http://localhost:8000/orders/{{id}}
Authorization: Bearer {{token}}
[Query]
full: true
q: a b
[Options]
variable: id=17
HTTP 200
Content-Type: application/json
Set-Cookie: sid=1; Path=/
[Asserts]
jsonpath "$.state" == "paid"
jsonpath "$.price" == 1.50
jsonpath "$.count" == 3
jsonpath "$.items[*].id" contains "x"
jsonpath "$.items[*].id" count == 2
jsonpath "$.items" count == 2
jsonpath "$.items" first exists
jsonpath "$.items[?(@.a)]" exists
jsonpath "$.gone" not exists
jsonpath "$.count" > 0
jsonpath "$.count" > 10
header "X-A" startsWith "b(c"
cookie "sid[HttpOnly]" exists
duration < 1000
sha256 == hex,00;
body contains "x # y"   # a comment
jsonpath "$.owner" == "{{token}}"
jsonpath "$.other" == "{{nobody}}"
jsonpath "$['profile-id']" matches /^\\d+$/
`;

t.test('a file is one scenario, whose last request is the trigger', async (t) => {
  const { text, scenarios } = await importTexts(t, 'hurl', { 'orders/paid.hurl': file });
  t.equal(scenarios.length, 1);
  t.match(text('RT-GET-paid'), '## STEPS\n\n### POST http://localhost:8000/login\n\nPOST ${INGESTION_URL}/login\n');
  t.match(text('RT-GET-paid'), '~~~form\nuser = bob\nvalues[0] = 0\n~~~\n');
  t.match(text('RT-GET-paid'), '- capture token = body.token\n\n## TRIGGER\n');
  t.match(text('RT-GET-paid'), 'GET ${INGESTION_URL}/orders/17?full=true&q=a%20b\n', 'the variable has a value');
  t.match(text('RT-GET-paid'), 'Authorization: Bearer ${token}\n');
});

t.test('asserts become checks of the same meaning', async (t) => {
  const { bullets } = await importTexts(t, 'hurl', { 'paid.hurl': file });
  t.same(bullets('RT-GET-paid').slice(3), [
    'status=200',
    'header Content-Type equals application/json',
    'cookie sid equals 1',
    'body has state equals paid',
    'body price equals 1.50',
    'body has count equals 3',
    'body some items.id equals x',
    'body count(items.id) equals 2',
    'body items length = 2',
    'body has items[0]',
    'body has no gone',
    'body has count matching ^(0\\.0*[1-9][0-9]*|[1-9][0-9]*(\\.[0-9]+)?)$',
    'header X-A matching ^b\\(c',
    'cookie sid HttpOnly',
    'duration < 1000ms',
    'body text containing x # y',
    'body has owner equals ${token}',
    'body has profile-id matching ^\\d+$',
  ]);
});

t.test('what has no meaning here is listed with its line and the reason', async (t) => {
  const { untranslated } = await importTexts(t, 'hurl', { 'paid.hurl': file });
  t.match(untranslated, [
    { source: 'paid.hurl:9', item: /^who:/, reason: /filter `regex`/ },
    { source: /:31$/, item: /\?\(@\.a\)/, reason: /filter, a slice or a search/ },
    { source: /:34$/, item: 'jsonpath "$.count" > 10', reason: /compares no numbers/ },
    { source: /:38$/, item: /^sha256/, reason: /digest/ },
    { item: 'body has other equals ${nobody}', reason: /compared literally/ },
  ]);
  t.equal(untranslated.length, 5);
});

t.test('retry is until; a JSON body that must come back is checked value by value', async (t) => {
  const { bullets, untranslated } = await importTexts(t, 'hurl', {
    'job.hurl': `GET http://h/jobs/1
[Options]
retry: 20
retry-interval: 500ms
location: true
HTTP 200
[Asserts]
jsonpath "$.state" == "done"

GET http://h/jobs
HTTP 200
{ "jobs": [ { "id": 1, "price": 1.5, "name": "" } ], "last": null }
`,
  });
  t.same(bullets('RT-GET-job'), [
    'status=200',
    'until body has state equals done within 10s every 500ms',
    'status=200',
    'body jobs length = 1',
    'body has jobs[0].id equals 1',
    'body jobs[0].price equals 1.5',
    'body has jobs[0].name matching ^$',
    'body has last equals null',
  ]);
  t.match(untranslated, [{ reason: /redirects are not followed/ }, { reason: /further fields are not noticed/ }]);
});

t.test('bodies are sent as they are, secrets are not', async (t) => {
  const { text, variables } = await importTexts(t, 'hurl', {
    'a.hurl': `POST https://h/login
Content-Type: application/json
{
  "user": "bob",
  "password": "geheim-1234"
}
HTTP 401
`,
    'b.hurl': `POST https://h/graphql
\`\`\`graphql
query Person($id: ID!) { person(id: $id) { name } }

variables {
  "id": "cGV="
}
\`\`\`
HTTP 200
`,
    'c.hurl': `PUT https://h/x
[BasicAuth]
bob: secret
\`a $\{b} c\`
HTTP *
`,
    'd.hurl': 'POST https://h/x\n[Multipart]\nf: file,a.txt;\nHTTP 200\n',
  });
  t.match(text('RT-POST-a'), '"password": "${PASSWORD}"');
  t.match(text('RT-POST-b'), '~~~graphql\nquery Person($id: ID!) { person(id: $id) { name } }\n\nvariables\n{');
  t.match(text('RT-PUT-c'), 'Authorization: Basic ${BASIC_CREDENTIALS}\n');
  t.match(variables, [{ name: 'BASIC_CREDENTIALS' }, { name: 'PASSWORD', isSecret: true }]);
  t.notMatch(JSON.stringify([text('RT-POST-a'), text('RT-PUT-c'), variables]), /geheim|bob: secret/);
});

t.test('a file that is none says where', async (t) => {
  const { scenarios, untranslated } = await importTexts(t, 'hurl', { 'x.hurl': 'hello there\n' });
  t.same(scenarios, []);
  t.match(untranslated, [{ source: 'x.hurl', reason: /line 1 is no request/ }]);
});

const page = `GET http://bob:geheim@localhost:8000/page
{{key}}: a
Empty;
[Options]
variable: key=X-Kind
header: X-More: {{more}}
HTTP 200
[Captures]
kind: header "X-Kind"
token: jsonpath "$.token" redact
[Asserts]
xpath "string(//head/title)" == "Orders"
xpath "normalize-space(//div[@id='main']/p[@class=\\"note\\"])" contains "open"
xpath "//tr" count == 3
xpath "//svg:g/_:circle/@r" == "4"
xpath "//toto" not exists
xpath "//li[2]" exists
variable "kind" == "list"
variable "token" isUuid
variable "elsewhere" == 1
jsonpath "$.id" toInt == 12
jsonpath "$.id" toFloat == 1.5
cookie "gone" == ""
`;

t.test('XPath becomes CSS where that says the same, and a variable the query that it was captured by', async (t) => {
  const { bullets, text, untranslated, variables } = await importTexts(t, 'hurl', { 'page.hurl': page });
  t.same(bullets('RT-GET-page'), [
    'status=200',
    'body css "head > title" equals Orders',
    `body css "div[id='main'] > p[class='note']" containing open`,
    'body css "tr" length = 3',
    'body css "svg\\:g > circle" @r equals 4',
    'body css "toto" absent',
    'header X-Kind equals list',
    'body has token matching ^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
    'body has id equals 12',
    'cookie gone matching ^$',
    'capture kind = header X-Kind',
    'capture token = body.token',
  ]);
  t.match(untranslated, [
    { item: 'xpath "//li[2]" exists', reason: /no CSS selector of the same meaning/ },
    { item: 'variable "elsewhere" == 1', reason: /same request captures/ },
    { item: 'jsonpath "$.id" toFloat == 1.5', reason: /toFloat/ },
  ]);
  t.match(text('RT-GET-page'), /X-Kind: a\n[\s\S]*X-More: \$\{more\}\n/);
  t.match(variables, [{ name: 'BASIC_CREDENTIALS' }, { name: 'more' }]);
  t.notMatch(JSON.stringify([text('RT-GET-page'), untranslated]), 'geheim');
});

t.test('credentials of an option are neither written nor reported, and newUuid is the id of the run', async (t) => {
  const source =
    'GET http://bob:geheim@h/first?id={{newUuid}}\nHTTP 200\n\nGET http://h/a\n[Options]\nuser: bob:geheim\nHTTP 200\n';
  const { text, untranslated, variables } = await importTexts(t, 'hurl', { 'a.hurl': source });
  t.match(text('RT-GET-a'), '/first?id=${correlation_id}\n');
  t.equal(text('RT-GET-a').split('Authorization: Basic ${BASIC_CREDENTIALS}').length, 3);
  t.notMatch(JSON.stringify([text('RT-GET-a'), untranslated, variables]), 'geheim');
});

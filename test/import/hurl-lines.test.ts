/** No line of a file of hurl is lost in silence: it changes the scenario, or the report names it. */
import t, { type Test } from 'tap';
import { importTexts } from './import-text.ts';

/** What hurl has, in one file: each line says something that no other line says. */
const sample = `# sign in
POST http://shop.example/login
User-Agent: shop-tests
Host: shop.example
Expect: 100-continue
Accept-Encoding: br
X-Trace: {{trace}}
X-Empty;
[Options]
variable: trace=t-17
compressed: true
location: true
output: login.json
very-verbose: true
delay: 2s
resolve: shop.example:80:127.0.0.1
header: X-Late: 1
user: bob:q8ZkP2vL9xYb
[QueryStringParams]
lang: de
[Cookies]
theme: dark
[FormParams]
name: bob
HTTP/1.1 200
X-Kind: token
Set-Cookie: sid=1; Path=/
[Captures]
token: jsonpath "$.token" redact
page: body
part: header "X-Kind" regex "to(.*)"
[Asserts]
jsonpath "$.token" isUuid
jsonpath "$.roles[?(@.main)].name" exists
jsonpath "$.note" isString
variable "elsewhere" == 1
certificate "Subject" contains "shop"
ip isIpv4
sha256 == hex,00ff;
bytes startsWith hex,7b22;
bytes contains hex,fffe;
header "X-Kind" not matches /x/
status < 300

PUT http://shop.example/raw
[BasicAuth]
bob: q8ZkP2vL9xYb
base64,aGVsbG8gdGhlcmU=;
HTTP *
hex,68656c6c6f;

PUT http://shop.example/files
[MultipartFormData]
title: {{newUuid}}
photo: file,lamp.png; image/png
HTTP 204

GET http://shop.example/orders/{{token}}
[Options]
retry: 3
retry-interval: 200ms
HTTP 200
[Asserts]
body == \`\`\`
one
two
\`\`\`
xpath "//*[name()='li']" count == 2
xpath "//li[2]" exists
jsonpath "$.state" == "paid"
`;

async function render(t: Test, text: string) {
  const { scenarios, untranslated, uploads } = await importTexts(t, 'hurl', { 'sample.hurl': text });
  return { texts: scenarios.map((each) => each.text), untranslated, uploads };
}

const lineForms = /^(?:[\w-]+;|[\w-]+:\s.*|HTTP\/\S+ .*|(?:base64|hex),.*|[a-z]\w+ .*)$/;

t.test('without any of its lines, a file gives another scenario or another report', async (t) => {
  const whole = await render(t, sample);
  t.equal(whole.texts.length, 1);
  const lines = sample.split('\n');
  const tried = lines.flatMap((line, index) => (lineForms.test(line) ? [index] : []));
  t.ok(tried.length > 45, `${tried.length} lines`);
  for (const index of tried) {
    const line = lines[index] ?? '';
    // The other lines keep their numbers.
    const other = line.startsWith('HTTP/')
      ? line.replace(/\/\S+/, '')
      : line.startsWith('body ==')
        ? 'body == "x"\n#'
        : '#';
    const without = await render(t, lines.with(index, other).join('\n'));
    t.notSame(without, whole, line);
  }
});

t.test('what a scenario cannot say is named with its reason', async (t) => {
  const { untranslated } = await importTexts(t, 'hurl', { 'sample.hurl': sample });
  const named = (item: RegExp): string | undefined => untranslated.find((each) => item.test(each.item))?.reason;
  t.match(named(/^HTTP\/1\.1/), /version of HTTP/);
  t.match(named(/^the option compressed/), /no such option/);
  t.match(named(/^the option output/), /written to no file/);
  t.match(named(/^the option very-verbose/), /displays/);
  t.match(named(/^the header Host/), /base_url/);
  t.match(named(/^the header Expect/), /sent at once/);
  t.match(named(/^the header Authorization|^the header User-Agent/), undefined);
  t.match(named(/^redact/), /redacted_captures/);
  t.match(named(/^bytes contains/), /bytes of a body/);
  t.match(named(/^ip /), /address/);
  t.match(named(/one.*two/), /one line/);
  t.notMatch(JSON.stringify(untranslated), 'q8ZkP2vL9xYb');
});

t.test(
  'bytes that are a text are sent and compared as that, and names of elements in XPath are selectors',
  async (t) => {
    const { text, bullets } = await importTexts(t, 'hurl', { 'sample.hurl': sample });
    t.match(text('RT-GET-sample'), /PUT .*\/raw\n[\s\S]*~~~[a-z]*\nhello there\n~~~/);
    t.match(bullets('RT-GET-sample'), /body text matching \^\\\{"/);
    t.ok(bullets('RT-GET-sample').includes('body text equals hello'));
    t.ok(bullets('RT-GET-sample').includes('body css "li" length = 2'));
    t.match(text('RT-GET-sample'), 'User-Agent: shop-tests\n');
  },
);

t.test('skipped requests, sections in a wrong part and files without a request are named', async (t) => {
  const { untranslated } = await importTexts(t, 'hurl', {
    'a.hurl':
      'GET http://h/a\n[Options]\nskip: true\nHTTP 200\n\nGET http://h/b\n[Asserts]\nstatus == 200\nHTTP 200\n[Query]\na: 1\n',
    'b.hurl': '# nothing\n',
    'c.hurl': 'GET http://h/c\n[Options]\nretry: 3\nHTTP *\n',
    'd.hurl': 'GET http://h/d\nHTTP/* 200\n```Hello!```\n',
  });
  t.match(untranslated, [
    { source: 'a.hurl:1', item: 'the request', reason: /not sent/ },
    { source: 'a.hurl:8', item: 'status == 200', reason: /refuses the section asserts/ },
    { source: 'a.hurl:11', item: 'a: 1', reason: /refuses the section query/ },
    { source: 'b.hurl', reason: /no request/ },
    { source: 'c.hurl:1', item: 'the option retry', reason: /no check to wait for/ },
  ]);
  t.equal(untranslated.length, 5, 'HTTP/* expects no version');
});

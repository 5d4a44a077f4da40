import t from 'tap';
import { type CurlImport, parseCurlCommand } from '../../src/scenario/curl-import.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { draftScenario, renderScenario } from '../../src/scenario/scenario-draft.ts';
import { splitShellWords } from '../../src/scenario/shell-lexer.ts';

const quotings: readonly (readonly [written: string, words: readonly string[]])[] = [
  ['curl  a\tb', ['curl', 'a', 'b']],
  [`a'b c'"d e"f`, ['ab cd ef']],
  [`'a\\nb' "a\\nb"`, ['a\\nb', 'a\\nb']],
  [`"a\\"b" "a\\\\b" "a\\$b" "a\\'b"`, ['a"b', 'a\\b', 'a$b', "a\\'b"]],
  [`'it'\\''s'`, ["it's"]],
  [`a\\ b`, ['a b']],
  [`a \\\n  b \\\r\n c`, ['a', 'b', 'c']],
  [`"a\\\nb"`, ['ab']],
  [`$'a\\nb\\'c\\u0021\\x41\\101\\t'`, ["a\nb'c!AA\t"]],
  [`$'\\U0001F600'`, ['😀']],
  [`'' ""`, ['', '']],
  [`"$TOKEN" \${A_B}/x '$TOKEN' $1 a$`, ['${TOKEN}', '${A_B}/x', '$TOKEN', '$1', 'a$']],
  [`'\${x}' "\\\${x}"`, ['\0{x}', '\0{x}']],
  ['a b | jq .', ['a', 'b']],
  ['a b; c', ['a', 'b']],
  ['a b # comment', ['a', 'b']],
  ['a#b', ['a#b']],
  ['a > file', ['a']],
  [`'a|b' "c;d"`, ['a|b', 'c;d']],
  ['a\nb', ['a']],
];

t.test('words are split as a shell splits them', async (t) => {
  for (const [written, words] of quotings) t.same(splitShellWords(written), { words }, written);
  for (const open of [`'a`, `"a`, `$'a`, `a "b\\"`]) t.match(splitShellWords(open), { problem: /never closed/ }, open);
});

function importValid(command: string): CurlImport {
  const imported = parseCurlCommand(command);
  if ('problem' in imported) throw new Error(imported.problem);
  const problems: unknown[] = [];
  const text = renderScenario(draftScenario(imported.request));
  parseScenario(text, { variables: 'any' }, (diagnostic) => problems.push(diagnostic));
  t.same(problems, [], text);
  return imported;
}

t.test('method, path, headers and body are those that curl would send', async (t) => {
  t.match(importValid('curl https://api.example.com/v2/items'), {
    request: { method: 'GET', path: '/v2/items', headers: [], body: undefined },
    origin: 'https://api.example.com',
  });
  t.match(importValid(`curl localhost:3000 -d a=1 -d b=2`).request, {
    method: 'POST',
    path: '/',
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    body: 'a=1&b=2',
  });
  t.match(importValid(`curl -sSLX PUT -H'If-Match: "3"' --json '{"a":1}' http://h/x#part`).request, {
    method: 'PUT',
    path: '/x',
    headers: [
      ['If-Match', '"3"'],
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json'],
    ],
    body: '{"a":1}',
  });
  t.match(importValid(`curl -G http://h/s -d q=1 --data-urlencode 'n=a b&c' -m 2.5`).request, {
    method: 'GET',
    path: '/s?q=1&n=a%20b%26c',
    body: undefined,
    timeoutS: 3,
  });
  t.match(importValid('curl -I http://h/x').request, { method: 'HEAD' });
  t.match(importValid(`curl -XDELETE -o /dev/null -w '%{http_code}' http://h/x`).request, {
    method: 'DELETE',
    path: '/x',
  });
  t.match(importValid(`$ curl http://h/a%20b/'ä {x}'`).request, { path: '/a%20b/%C3%A4%20%7Bx%7D' });
  t.match(importValid(`curl "$BASE/v1/items/\${ID}"`), { request: { path: '/v1/items/${ID}' }, variables: ['ID'] });
});

t.test('a command copied from a browser is imported without what browsers add', async (t) => {
  const { request, notes } = importValid(`curl 'https://app.example/api/items' \\
  -H 'accept: application/json' \\
  -H 'content-type: application/json' \\
  -H 'sec-ch-ua: "Chromium";v="140"' \\
  -H 'user-agent: Mozilla/5.0' \\
  -H 'host: app.example' \\
  -H 'content-length: 17' \\
  --data-raw $'{"name":"it\\'s \\u0021"}' \\
  --compressed --insecure`);
  t.same(request.headers, [
    ['accept', 'application/json'],
    ['content-type', 'application/json'],
  ]);
  t.equal(request.body, `{"name":"it's !"}`);
  t.match(notes.join('\n'), /Left out: sec-ch-ua, user-agent, host, content-length/);
});

t.test('secrets become placeholders wherever they stand', async (t) => {
  const jwt = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln';
  const cases: readonly (readonly [command: string, variables: readonly string[]])[] = [
    [`curl http://h/x -H 'Authorization: Bearer s3cret'`, ['ACCESS_TOKEN']],
    [`curl http://h/x -H 'authorization: s3cret'`, ['ACCESS_TOKEN']],
    [`curl http://h/x -u ana:s3cret`, ['BASIC_CREDENTIALS']],
    [`curl http://h/x -uana:s3cret`, ['BASIC_CREDENTIALS']],
    [`curl http://ana:s3cret@h/x`, ['BASIC_CREDENTIALS']],
    [`curl http://h/x -b 'session=s3cret'`, ['COOKIE']],
    [`curl http://h/x -H 'X-Api-Key: s3cret'`, ['X_API_KEY']],
    [`curl 'http://h/x?api_key=s3cret&page=2'`, ['API_KEY']],
    [`curl http://h/x --json '{"user":"ana","password":"s3cret"}'`, ['PASSWORD']],
    [`curl http://h/x --json '{"clientSecret" : "s3\\"cret"}'`, ['CLIENT_SECRET']],
    [`curl http://h/x -d 'grant_type=password&password=s3cret'`, ['PASSWORD']],
    [`curl http://h/x --oauth2-bearer s3cret`, ['ACCESS_TOKEN']],
    [`curl http://h/x -H 'X-Anything: ${jwt}'`, ['X_ANYTHING']],
    [`curl http://h/x -H "Authorization: Bearer $MY_TOKEN"`, ['MY_TOKEN']],
  ];
  for (const [command, variables] of cases) {
    const imported = importValid(command);
    const text = renderScenario(draftScenario(imported.request));
    t.same(imported.variables, variables, command);
    for (const secret of ['s3', jwt]) t.notMatch(text, secret, command);
    for (const name of variables) t.match(text, `\${${name}}`, command);
  }
});

t.test('a literal ${ of a body is sent as it is', async (t) => {
  t.equal(importValid(`curl http://h/x --json '{"a":"\${b}"}'`).request.body, '{"a":"\\u0024{b}"}');
});

t.test('what cannot be imported is refused or named', async (t) => {
  t.match(parseCurlCommand('wget http://h'), { problem: /must begin with curl/ });
  t.match(parseCurlCommand(`curl http://h -H 'a`), { problem: /never closed/ });
  t.match(parseCurlCommand('curl -s'), { problem: /no address/ });
  t.match(parseCurlCommand('curl -X BREW http://h/x'), { problem: /BREW is not a method/ });
  t.match(parseCurlCommand('curl ^"http://h^" ^\n -H ^"a: b^"'), { problem: /cmd.exe/ });
  t.match(importValid('curl http://h/x -d @body.json').notes, [/in the file body.json/]);
  t.match(importValid('curl -L http://h/x').notes, [/Redirects are not followed/]);
  t.match(importValid('curl http://h/x http://h/y').notes, [/only the first address/]);
});

import t from 'tap';
import { httpMethods } from '../../src/scenario/scenario.ts';
import { buildScenarioText, codes, listDiagnostics, parseValid, read, written } from './samples.ts';

const get = 'GET ${INGESTION_URL}/api/v2/document';
const id = 'X-Request-Id: ${correlation_id}';
const json = 'Content-Type: application/json';

/** Method, path, headers and body as they were written. */
function request(trigger: string): unknown[] {
  const { method, path, headers, body } = parseValid(buildScenarioText({ trigger, title: 'GET x' })).trigger;
  return [method, written(path), headers.map(({ name, value }) => `${name}: ${written(value)}`), written(body)];
}

const plain = ['GET', '/api/v2/document', [id], undefined];
const posted = (body: string): unknown[] => ['POST', '/api', [json, id], body];
const post = `POST \${INGESTION_URL}/api\n${json}\n${id}`;

t.test('every method can be sent', async (t) => {
  for (const method of httpMethods) t.equal(request(`${method} \${INGESTION_URL}/a\n${id}`)[0], method);
});

t.test('the usual layouts of a request are equivalent', async (t) => {
  t.same(request(`${get}\n${id}`), plain);
  t.same(request(`  ${get}  \n\t${id}\t`), plain, 'indented, with spaces at the end');
  t.same(request(`- ${get}\n- ${id}`), plain, 'bullets');
  t.same(request(`1. ${get}\n2. ${id}`), plain, 'numbers');
  t.same(request(`\`${get}\`\n\`${id}\``), plain, 'code marks');
  t.same(request(`- \`${get}\`\n  - \`${id}\``), plain, 'bullets below each other');
  t.same(request(`\`\`\`http\n${get}\n${id}\n\`\`\``), plain, 'a fence');
  t.same(request(`~~~\n\n  ${get}\n  ${id}\n\n~~~`), plain, 'a fence with blank lines');
  t.same(request(`${get} HTTP/1.1\n${id}`), plain, 'with a version');
  t.same(request(`<!-- a -->\n${get}\n<!-- b -->\n${id}\n\n<!-- c -->\n\n---`), plain, 'comments and a rule');
  t.same(request(`${get.replace(' ', '   ')}\nX-Request-Id:\${correlation_id}`), plain, 'spaces');
});

t.test('a body follows a blank line, or is in its own fence or in the fence of the request', async (t) => {
  t.same(request(`${post}\n\n{"a": 1}`), posted('{"a": 1}'));
  t.same(request(`${post}\n\n\`\`\`json\n{"a": 1}\n\`\`\``), posted('{"a": 1}'));
  t.same(request(`${post}\n\`\`\`\n{"a": 1}\n\`\`\``), posted('{"a": 1}'));
  t.same(request(`\`\`\`http\n${post}\n\n{"a": 1}\n\`\`\``), posted('{"a": 1}'));
  t.same(request(`\`\`\`http\n${post}\n\`\`\`\n\n\`\`\`json\n{"a": 1}\n\`\`\``), posted('{"a": 1}'));
  t.same(request(`${post}\n\n<!-- the body -->\n\n\`\`\`\n{"a": 1}\n\`\`\`\n<!-- end -->`), posted('{"a": 1}'));
});

t.test('a body is unchanged between its first and last line', async (t) => {
  t.same(request(`${post}\n\n\n{\n\n  "a": "**b**"  \n}\n\n\n---\n`), posted('{\n\n  "a": "**b**"  \n}'));
  t.same(request(`${post}\n\n\`\`\`\n\n# no heading\n- no bullet\n\n\`\`\``), posted('\n# no heading\n- no bullet\n'));
  t.same(request(`${post}\n\n  \`\`\`\n  a\n    b\n  \`\`\``), posted('a\n  b'));
  t.same(request(`${post}\n\n\`\`\`\n\`\`\``), posted('').with(3, undefined), 'an empty fence is no body');
});

t.test('lines of a body end with LF whatever the line endings of the file', async (t) => {
  const text = buildScenarioText({ trigger: `${post}\n\n{\n1\n}`, title: 'POST x' }).replaceAll('\n', '\r\n');
  t.equal(written(parseValid(text).trigger.body), '{\n1\n}');
});

t.test('ambiguous layouts are refused', async (t) => {
  const two = 'SCENARIO_BODY_AMBIGUOUS';
  const last = (trigger: string): unknown => listDiagnostics(buildScenarioText({ trigger, title: 'POST x' })).at(-1);
  t.same(last(`${get}\n\n${id}`), [two, id]);
  t.same(last(`\`\`\`\n${get}\n\n${id}\n\`\`\``), [two, id]);
  t.same(last(`${post}\n\nThe body:\n\n\`\`\`\n{}\n\`\`\``), [two, '```']);
  t.same(last(`${post}\n\n\`\`\`\n{}\n\`\`\`\n\nmore`), [two, '```']);
  t.same(last(`${post}\n\n{\n<!-- a -->\n}`), [two, '<!-- a -->']);
  t.same(last(`\`\`\`\n${post}\n\n{}\n\`\`\`\n\n\`\`\`\n{}\n\`\`\``), [two, '```']);
  t.same(last(`${get}\n${id}\n\n${get}`), ['SCENARIO_REQUEST_DOUBLED', get]);
});

t.test('a body that looks like header lines can be put into a fence', async (t) => {
  t.same(request(`${post}\n\n\`\`\`yaml\na: 1\nb: 2\n\`\`\``), posted('a: 1\nb: 2'));
});

t.test('an empty section is reported', async (t) => {
  for (const trigger of ['', '<!-- later -->', '---']) {
    t.same(codes(buildScenarioText({ trigger })), ['SCENARIO_TRIGGER_EMPTY'], trigger);
  }
  t.same(codes(buildScenarioText({ trigger: '```http\n```' })), ['SCENARIO_TRIGGER_EMPTY']);
});

t.test('the fix for an address with a wrong beginning is the correct address', async (t) => {
  const right = (target: string): unknown => {
    const [diagnostic] = read(buildScenarioText({ trigger: `GET ${target}\n${id}` })).diagnostics;
    return diagnostic?.cure.match(/^write `(.*?)`/)?.[1];
  };
  const beginnings = ['${INGESTION_UL}', '${ingestion_url}', '${BASE}', '${ INGESTION_URL }', '{{INGESTION_URL}}'];
  beginnings.push('$INGESTION_UL', '<INGESTION_UL>', '${INGESTION_URL', 'https://shop:80', '');
  for (const beginning of beginnings) {
    t.equal(right(`${beginning}/api/x`), '${INGESTION_URL}/api/x', beginning);
    t.equal(right(`${beginning}/api/${'${TENANT}'}`), '${INGESTION_URL}/api/${TENANT}', beginning);
  }
});

t.test('problems of a request line are reported', async (t) => {
  const first = (line: string): unknown => listDiagnostics(buildScenarioText({ trigger: `${line}\n${id}` }))[0];
  const invalid = 'SCENARIO_REQUEST_LINE_INVALID';
  for (const line of ['GET', '${INGESTION_URL}/a', 'curl -s x', 'Send this:', '/api'])
    t.same(first(line), [invalid, line]);
  t.same(first('get ${INGESTION_URL}/a'), ['SCENARIO_METHOD_UNKNOWN', 'get']);
  t.same(first('CONNECT ${INGESTION_URL}/a'), ['SCENARIO_METHOD_UNKNOWN', 'CONNECT']);
  for (const url of ['/a', 'http://x/a', '${INGESTION_URL}', '${INGESTION_URL}a', '${INGESTION_URL}?a=1', '${X}/a']) {
    t.same(first(`GET ${url}`), ['SCENARIO_URL_INVALID', url]);
  }
});

t.test('the fix for an address is the line to write', async (t) => {
  const cure = (url: string): string | undefined =>
    read(buildScenarioText({ trigger: `GET ${url}` })).diagnostics[0]?.cure;
  for (const url of ['http://localhost:3200/a?b=1', '/a?b=1', '$INGESTION_URL/a?b=1', '{{INGESTION_URL}}/a?b=1']) {
    t.match(cure(url), /^write `\$\{INGESTION_URL\}\/a\?b=1`/, url);
  }
  t.match(cure('https://example.org'), /^write `\$\{INGESTION_URL\}\/`/);
  t.match(cure(`/${'a'.repeat(300)}`), /^write `\$\{INGESTION_URL\}\/…`/);
});

t.test('a path contains only characters that a request line allows', async (t) => {
  const first = (path: string): unknown =>
    listDiagnostics(buildScenarioText({ trigger: `GET \${INGESTION_URL}${path}\n${id}` }))[0];
  const good = "/a-b_c.d~e/%20/x;y=1/@:!$&'()*+,?q=a&filter[x]=1|2&r=/?";
  t.equal(first(good), undefined);
  for (const sign of ['#', '{', '"', '<', '\\', '^', '`', 'é', '😀', ' ', '\t']) {
    t.same(first(`/a${sign}b`), ['SCENARIO_PATH_INVALID', sign], sign);
  }
});

t.test('a path may contain placeholders after its first slash', async (t) => {
  t.same(
    request(`GET \${INGESTION_URL}/a/\${correlation_id}?b=\${correlation_id}\n${id}`)[1],
    ['/a/${correlation_id}?b=${correlation_id}'][0],
  );
});

t.test('a body without a type is sent with a warning; TRACE has no body', async (t) => {
  const trigger = `POST \${INGESTION_URL}/a\n${id}\n\n{}`;
  t.same(listDiagnostics(buildScenarioText({ trigger, title: 'POST x' })), [['SCENARIO_CONTENT_TYPE_MISSING', '{}']]);
  const trace = `TRACE \${INGESTION_URL}/a\n${id}\n${json}\n\n{}`;
  t.same(listDiagnostics(buildScenarioText({ trigger: trace, title: 'TRACE x' })), [['SCENARIO_BODY_REFUSED', '{}']]);
});

t.test('the range of a trigger goes from its first to its last character', async (t) => {
  const text = buildScenarioText({ trigger: `- ${post}\n\n\`\`\`\n{}\n\`\`\``, title: 'POST x' });
  const { range, body } = parseValid(text).trigger;
  t.equal(text.slice(range.start.offset, range.end.offset), `${post}\n\n\`\`\`\n{}`);
  t.equal(text.slice(body?.range.start.offset, body?.range.end.offset), '{}');
});

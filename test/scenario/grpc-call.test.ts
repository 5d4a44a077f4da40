/** `GRPC <service>/<method>` in a scenario: how it is read, refused, formatted, completed, embedded and bound. */
import t from 'tap';
import { bindTrigger } from '../../src/scenario/bind.ts';
import { completeScenario } from '../../src/scenario/completion.ts';
import { embedFiles, removeFiles } from '../../src/scenario/embedded-files.ts';
import { formatScenario } from '../../src/scenario/format.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { listTokens } from '../../src/scenario/tokens.ts';

function buildText(trigger: string, { title = 'GRPC get order', checks = ['status=200'] } = {}): string {
  const bullets = checks.map((check) => `- ${check}`).join('\n');
  return `# Scenario: ${title}\n\n## Metadata\n\n- ID: RT-GRPC-order\n- Layer: HTTP Ingestion\n\n## TRIGGER\n\n${trigger}\n\n## EXPECT\n\n### Runnable\n\n${bullets}\n`;
}

function read(trigger: string, options?: Parameters<typeof buildText>[1]) {
  const codes: string[] = [];
  const scenario = parseScenario(buildText(trigger, options), { variables: ['NAME'] }, ({ code }) => codes.push(code));
  return { scenario, codes };
}

const call = 'GRPC shop.v1.Orders/GetOrder\nX-Request-Id: ${correlation_id}';
const values = { origin: 'http://app:50051', correlationId: 'tr-1', variables: { NAME: '7' } };

t.test('a call has a method, metadata and a message', async (t) => {
  for (const body of [
    '',
    '\n\n{ "id": 7 }',
    '\n\n~~~json\n{ "id": ${NAME}, "name": "a ${NAME}" }\n~~~',
    '\n\n~~~json\n"2026-01-01T00:00:00Z"\n~~~',
  ]) {
    const { scenario, codes } = read(call + body);
    t.same(codes, [], body);
    t.match(scenario?.trigger, { method: 'POST', grpc: { service: 'shop.v1.Orders', rpc: 'GetOrder' } });
  }
  t.match(read('GRPC Orders/Get\nX-Request-Id: ${correlation_id}').scenario?.trigger.grpc, { service: 'Orders' });
});

t.test('what cannot be called is refused', async (t) => {
  for (const line of [
    'GRPC',
    'GRPC GetOrder',
    'GRPC /shop.v1.Orders/GetOrder',
    'GRPC shop.v1.Orders.GetOrder',
    'GRPC shop..Orders/Get',
  ])
    t.same(read(line).codes, ['SCENARIO_GRPC_INVALID'], line);
  for (const body of ['{ "id": }', 'id=7', '{ "name": ${NAME}x }'])
    t.same(read(`${call}\n\n~~~json\n${body}\n~~~`).codes, ['SCENARIO_GRPC_MESSAGE'], body);
  t.same(read(`${call}\n\n~~~messages\n{ "id": 1 }\n{ "id": }\n~~~`).codes, ['SCENARIO_GRPC_MESSAGE']);
  t.same(read(`${call}\n\n~~~form\n{}\n~~~`).codes, ['SCENARIO_GRPC_MESSAGE']);
  t.same(read(`${call}\nContent-Type: application/json`).codes, ['SCENARIO_HEADER_REFUSED']);
  t.same(read(`${call}\ngrpc-encoding: gzip`).codes, ['SCENARIO_HEADER_REFUSED']);
  t.same(read(`${call}\ngrpc-timeout: 100m`).codes, []);
  t.same(read(`${call}\nproto: orders.proto`).codes, ['SCENARIO_FILE_ABSENT']);
  t.same(read(call, { title: 'POST order' }).codes, ['SCENARIO_TITLE_METHOD']);
  t.same(read('GRPC shop.v1.Orders/GetOrder').codes, ['SCENARIO_REQUEST_ID_MISSING']);
  t.same(read(call, { checks: ['receive events'] }).codes, ['SCENARIO_RECEIVE_GRPC']);
  t.same(read(call, { checks: ['receive messages'] }).codes, []);
  t.same(read(call, { checks: ['until body has id within 5s'] }).codes, ['SCENARIO_UNTIL_METHOD']);
  t.same(read(call, { checks: ['until body has id within 5s repeatable'] }).codes, []);
});

t.test('placeholders are escaped within strings, and each line is a message', async (t) => {
  const { scenario } = read(`${call}\n\n~~~messages\n{ "a": "\${ID}" }\n\n{ "n": \${NAME} }\n~~~`);
  t.equal(scenario, undefined, 'ID is not known');
  const captured = read(`${call}\nX-Tenant: \${NAME}\n\n~~~messages\n{ "a": "x" }\n\n{ "n": \${NAME} }\n~~~`).scenario;
  if (!captured) return t.fail('it was not read');
  const bound = bindTrigger(captured, values);
  t.same(bound.messages, ['{ "a": "x" }', '{ "n": 7 }']);
  t.match(bound, { method: 'POST', path: '/shop.v1.Orders/GetOrder', authorization: 'config' });
  t.match(Object.fromEntries(bound.headers), { 'X-Tenant': '7', 'Content-Type': 'application/grpc', TE: 'trailers' });
  const empty = read(call).scenario;
  t.same(empty && bindTrigger(empty, values).messages, ['{}']);
});

t.test('a file of the schema comes with what it imports', async (t) => {
  const files: Readonly<Record<string, string>> = {
    '../protos/shop/v1/orders.proto':
      'syntax = "proto3";\nimport "shop/v1/money.proto";\nimport public "common.proto";\nimport "google/protobuf/empty.proto";\n',
    '../protos/shop/v1/money.proto': 'syntax = "proto3";\nimport "shop/v1/orders.proto";\n',
    '../protos/shop/v1/common.proto': 'syntax = "proto3";\n',
  };
  const text = buildText(`${call}\nproto: ../protos/shop/v1/orders.proto\n\n~~~json\n{}\n~~~`);
  const embedded = embedFiles(text, (name) => files[name]);
  t.equal(removeFiles(embedded), text);
  t.equal(
    embedFiles(embedded, () => undefined),
    embedded,
    'what is embedded stays',
  );
  const codes: string[] = [];
  const scenario = parseScenario(embedded, {}, ({ code }) => codes.push(code));
  t.same(codes, []);
  t.same(
    scenario?.trigger.grpc?.proto?.map(({ path }) => path),
    Object.keys(files),
  );
});

t.test('a formatted call is the same call', async (t) => {
  const text = buildText(
    '- `GRPC   shop.v1.Orders/GetOrder`\n- `X-Request-Id:   ${correlation_id}`\n\n~~~json\n{ "id": 7 }\n~~~',
  );
  const formatted = formatScenario(text, {}, () => {});
  t.match(
    formatted,
    /## TRIGGER\n\nGRPC shop\.v1\.Orders\/GetOrder\nX-Request-Id: \$\{correlation_id\}\n\n~~~json\n\{ "id": 7 \}\n~~~\n/,
  );
});

t.test('the editor completes and colours it', async (t) => {
  const text = buildText('GRP');
  const offset = text.indexOf('GRP\n') + 3;
  t.match(completeScenario(text, offset)?.options, [{ label: 'GRPC', insert: 'GRPC <package>.<Service>/<Method>' }]);
  const lines = buildText('GRPC shop.v1.Orders/GetOrder\np');
  t.match(completeScenario(lines, lines.indexOf('\np\n') + 2)?.options, [{ label: 'proto: <file>' }]);
  const tokens = listTokens(buildText(call)).filter(({ kind }) => kind === 'method');
  t.equal(tokens.length, 1);
});

/**
 * What the stack of an instance refuses on a real engine: every request to the log reader except for lines of its project;
 * and the errors of target and executor that need a fix.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import {
  listRefusedRequestLines,
  malformedRequests,
  refusedQueries,
  requestHead,
} from '../logs/reader/refused-requests.ts';
import {
  assertRunPasses,
  callExecutor,
  debian,
  plainScenario,
  runToEnd,
  startBlockedRun,
  waitForRunEnd,
} from './instance-runs.ts';
import { docker, startTestInstance, type TestInstance } from './test-instance.ts';

/** Opens a connection for each input line of hexadecimal bytes, sends them, and prints the response as hexadecimal. */
const senderScript = `
use IO::Socket::UNIX; use IO::Select;
while (my $line = <STDIN>) {
  chomp $line;
  my $socket = IO::Socket::UNIX->new('/run/vp-logs/log.sock') or do { print "refused: $!\\n"; next };
  $socket->syswrite(pack('H*', $line));
  my ($heard, $select) = ('', IO::Select->new($socket));
  while ($select->can_read(0.3)) { last unless $socket->sysread(my $piece, 65536); $heard .= $piece; last if length $heard > 200000 }
  print unpack('H*', $heard), "\\n";
}`;

/** Sends requests from a container on the log reader's volume, like the executor's; returns the responses. */
async function sendToReader(
  { names }: TestInstance,
  requests: readonly string[],
  user = '10001:10001',
): Promise<string[]> {
  const volume = `${names.project}_logs:/run/vp-logs:ro`;
  const bounds = [
    '--rm',
    '--interactive',
    '--network',
    'none',
    '--cap-drop',
    'ALL',
    '--user',
    user,
    '--volume',
    volume,
  ];
  const child = spawn('docker', ['run', ...bounds, debian, 'perl', '-e', senderScript], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(requests.map((bytes) => `${Buffer.from(bytes, 'latin1').toString('hex')}\n`).join(''));
  const lines = (await text(child.stdout)).trim().split('\n');
  return lines.map((line) => (line.startsWith('refused') ? line : Buffer.from(line, 'hex').toString('latin1')));
}

const grantedPattern = /HTTP\/1\.1 (1|2)\d\d/;

async function assertReaderRefuses(t: Test, instance: TestInstance): Promise<void> {
  const { names } = instance;
  const id = (await docker('inspect', '--format', '{{.Id}}', names.app)).trim();
  const lines = listRefusedRequestLines(id);
  const answers = await sendToReader(
    instance,
    lines.map((line) => `${line} HTTP/1.1\r\n${requestHead}`),
  );
  for (const [index, line] of lines.entries()) t.match(answers[index], /^HTTP\/1\.1 404 /, line);
  const queries = await sendToReader(
    instance,
    refusedQueries.map((query) => `GET /v1/tail?${query} HTTP/1.1\r\n${requestHead}`),
  );
  for (const [index, query] of refusedQueries.entries())
    t.match(queries[index], /^HTTP\/1\.1 400 [\s\S]*"code":"LOG_READER_QUERY"/, query);
  const otherRequests = [
    ...malformedRequests,
    'GET /v1/tail HTTP/1.1\r\nHost: evil.example\r\n\r\n',
    'GET /v1/tail HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n\r\n',
    `GET /v1/tail HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
    'POST /session HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n',
    `POST /containers/create HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`,
  ];
  const refused = await sendToReader(instance, otherRequests);
  for (const [index, bytes] of otherRequests.entries()) t.notMatch(refused[index], grantedPattern, bytes.slice(0, 60));
  t.comment(`${lines.length + refusedQueries.length + otherRequests.length} requests were refused`);
}

async function assertReaderServesExecutor(t: Test, instance: TestInstance): Promise<void> {
  const request = `GET /v1/tail?service=app HTTP/1.1\r\n${requestHead}`;
  const [answer = ''] = await sendToReader(instance, [request]);
  t.match(answer, /^HTTP\/1\.1 200 [\s\S]*"state":\{"services":\["app"\],"trouble":null\}/);
  t.match(
    await sendToReader(instance, [request], '10002:10002'),
    [/^refused: Permission denied/],
    'no other user may connect',
  );
}

async function assertSoleSocketHolder(t: Test, { names }: TestInstance): Promise<void> {
  const mounts = await docker(
    'inspect',
    '--format',
    '{{range .Mounts}}{{.Destination}} {{.RW}}\n{{end}}',
    names.reader,
  );
  t.same(mounts.trim().split('\n').sort(), ['/run/engine.sock false', '/run/vp-logs true']);
  t.notMatch(await docker('inspect', '--format', '{{json .Mounts}}', names.executor), /engine\.sock|docker\.sock/);
}

const apiPath = '/api/v2/document';

async function assertTargetFailuresReported(t: Test, instance: TestInstance): Promise<void> {
  const withoutPrefix = await runToEnd(instance, plainScenario({ path: '/document' }));
  t.match(withoutPrefix, { failure_kind: 'status_mismatch', report: { observed_status: 404 } });
  t.match(withoutPrefix.report?.failure?.message, /^responder returned status 404 \(codes=\[200\]\)/);
  t.match(withoutPrefix.report?.failure?.cure, /prefix/, 'a path without the prefix of the API');
  const unsigned = await runToEnd(instance, plainScenario({ headers: ['Authorization:'] }));
  t.match(unsigned, { failure_kind: 'status_mismatch', report: { observed_status: 401 } });
  t.match(unsigned.report?.failure?.message, /^responder returned status 401 \(codes=\[200\]\)/);
  const content = await runToEnd(instance, plainScenario({ checks: ['status=200', 'body has nothing'] }));
  t.match(content, { failure_kind: 'body_mismatch', report: { failed_checks: [{ text: 'body has nothing' }] } });
  for (const { report } of [withoutPrefix, unsigned, content])
    t.comment(`${report?.failure?.message}; ${report?.failure?.cure}`);
}

async function assertBusy(t: Test, instance: TestInstance): Promise<void> {
  const { app } = instance.names;
  const run = await startBlockedRun(instance, app);
  const { status, body } = await callExecutor(instance, '/v1/runs', { text: plainScenario({ path: apiPath }) });
  t.match(
    { status, body },
    { status: 409, body: { code: 'EXECUTOR_BUSY', detail: new RegExp(`busy with run ${run}`) } },
  );
  await docker('unpause', app);
  t.match(await waitForRunEnd(instance, run), { state: 'passed' });
  t.match(await callExecutor(instance, '/v1/runs', { text: plainScenario() }), {
    status: 200,
    body: { result: 'passed' },
  });
}

t.test('requests that the stack of an instance refuses', { timeout: 300_000 }, async (t) => {
  const instance = await startTestInstance(t, { name: 'refusals', port: 23_768 });
  await t.test('the log reader refuses everything but its one path', (t) => assertReaderRefuses(t, instance));
  await t.test('it serves only the executor’s user', (t) => assertReaderServesExecutor(t, instance));
  await t.test('only it has the engine’s socket, read-only', (t) => assertSoleSocketHolder(t, instance));
  await t.test('a path without prefix, a missing token, a failing content check: each with its fix', (t) =>
    assertTargetFailuresReported(t, instance),
  );
  await t.test('a direct run beside another is refused as busy', (t) => assertBusy(t, instance));
  await t.test('runs pass after that', (t) => assertRunPasses(t, instance));
});

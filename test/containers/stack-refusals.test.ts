/**
 * What the stack of an instance refuses on a real engine: whatever is asked of the log reader besides lines of its project;
 * and the answers of target and executor for which the person needs a cure.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { head, noRequests, refusedLines, refusedQueries } from '../logs/refused-requests.ts';
import { askedDirectly, debian, ended, heldRun, passes, plainScenario, ran } from './instance-runs.ts';
import { docker, type Stage, stage } from './instance-stage.ts';

/** Connects once for each line of hexadecimal bytes that it reads, sends them, and tells what came back the same way. */
const sender = `
use IO::Socket::UNIX; use IO::Select;
while (my $line = <STDIN>) {
  chomp $line;
  my $socket = IO::Socket::UNIX->new('/run/vp-logs/log.sock') or do { print "refused: $!\\n"; next };
  $socket->syswrite(pack('H*', $line));
  my ($heard, $select) = ('', IO::Select->new($socket));
  while ($select->can_read(0.3)) { last unless $socket->sysread(my $piece, 65536); $heard .= $piece; last if length $heard > 200000 }
  print unpack('H*', $heard), "\\n";
}`;

/** From a container on the log reader's volume, as the executor is; what came back for each of `requests`. */
async function sent({ names }: Stage, requests: readonly string[], user = '10001:10001'): Promise<string[]> {
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
  const child = spawn('docker', ['run', ...bounds, debian, 'perl', '-e', sender], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(requests.map((bytes) => `${Buffer.from(bytes, 'latin1').toString('hex')}\n`).join(''));
  const lines = (await text(child.stdout)).trim().split('\n');
  return lines.map((line) => (line.startsWith('refused') ? line : Buffer.from(line, 'hex').toString('latin1')));
}

const isGranted = /HTTP\/1\.1 (1|2)\d\d/;

async function readerRefuses(t: Test, there: Stage): Promise<void> {
  const { names } = there;
  const id = (await docker('inspect', '--format', '{{.Id}}', names.app)).trim();
  const lines = refusedLines(id);
  const answers = await sent(
    there,
    lines.map((line) => `${line} HTTP/1.1\r\n${head}`),
  );
  for (const [at, line] of lines.entries()) t.match(answers[at], /^HTTP\/1\.1 404 /, line);
  const queries = await sent(
    there,
    refusedQueries.map((query) => `GET /v1/tail?${query} HTTP/1.1\r\n${head}`),
  );
  for (const [at, query] of refusedQueries.entries())
    t.match(queries[at], /^HTTP\/1\.1 400 [\s\S]*"code":"LOG_READER_QUERY"/, query);
  const others = [
    ...noRequests,
    'GET /v1/tail HTTP/1.1\r\nHost: evil.example\r\n\r\n',
    'GET /v1/tail HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n\r\n',
    `GET /v1/tail HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
    'POST /session HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n',
    `POST /containers/create HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`,
  ];
  const refused = await sent(there, others);
  for (const [at, bytes] of others.entries()) t.notMatch(refused[at], isGranted, bytes.slice(0, 60));
  t.comment(`${lines.length + refusedQueries.length + others.length} requests were refused`);
}

async function readerServesItsUser(t: Test, there: Stage): Promise<void> {
  const asked = `GET /v1/tail?service=app HTTP/1.1\r\n${head}`;
  const [answer = ''] = await sent(there, [asked]);
  t.match(answer, /^HTTP\/1\.1 200 [\s\S]*"state":\{"services":\["app"\],"trouble":null\}/);
  t.match(await sent(there, [asked], '10002:10002'), [/^refused: Permission denied/], 'nobody else may connect');
}

async function holdsTheSocketAlone(t: Test, { names }: Stage): Promise<void> {
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

async function isTold(t: Test, there: Stage): Promise<void> {
  const bare = await ran(there, plainScenario({ path: '/document' }));
  t.match(bare, { failure_kind: 'status_mismatch', report: { observed_status: 404 } });
  t.match(bare.report?.failure?.message, /^responder returned status 404 \(codes=\[200\]\)/);
  t.match(bare.report?.failure?.cure, /prefix/, 'a path without the prefix of the API');
  const unsigned = await ran(there, plainScenario({ headers: ['Authorization:'] }));
  t.match(unsigned, { failure_kind: 'status_mismatch', report: { observed_status: 401 } });
  t.match(unsigned.report?.failure?.message, /^responder returned status 401 \(codes=\[200\]\)/);
  const content = await ran(there, plainScenario({ checks: ['status=200', 'body has nothing'] }));
  t.match(content, { failure_kind: 'body_mismatch', report: { failed_checks: [{ text: 'body has nothing' }] } });
  for (const { report } of [bare, unsigned, content])
    t.comment(`${report?.failure?.message}; ${report?.failure?.cure}`);
}

async function isBusy(t: Test, there: Stage): Promise<void> {
  const { app } = there.names;
  const run = await heldRun(there, app);
  const { status, body } = await askedDirectly(there, '/v1/runs', { text: plainScenario({ path: apiPath }) });
  t.match(
    { status, body },
    { status: 409, body: { code: 'EXECUTOR_BUSY', detail: new RegExp(`busy with run ${run}`) } },
  );
  await docker('unpause', app);
  t.match(await ended(there, run), { state: 'passed' });
  t.match(await askedDirectly(there, '/v1/runs', { text: plainScenario() }), {
    status: 200,
    body: { result: 'passed' },
  });
}

t.test('what the stack of an instance refuses', { timeout: 300_000 }, async (t) => {
  const there = await stage(t, { name: 'refusals', port: 23_768 });
  await t.test('the log reader refuses everything but its one path', (t) => readerRefuses(t, there));
  await t.test('it serves the executor’s user alone', (t) => readerServesItsUser(t, there));
  await t.test('it alone has the engine’s socket, and may not write to it', (t) => holdsTheSocketAlone(t, there));
  await t.test('a path without prefix, no token, a false content check: each with its cure', (t) => isTold(t, there));
  await t.test('a direct run beside another is refused as busy', (t) => isBusy(t, there));
  await t.test('all goes on after that', (t) => passes(t, there));
});

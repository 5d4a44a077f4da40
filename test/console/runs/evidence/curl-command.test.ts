import { spawnSync } from 'node:child_process';
import t from 'tap';
import { formatCurlCommand, formatGrpcCommand } from '../../../../src/console/runs/evidence/request-view.tsx';

/** Returns the arguments as a shell parses them. */
function splitInShell(command: string): string[] {
  const { stdout } = spawnSync('sh', ['-c', command.replace(/^(?:grp)?curl/, `printf '%s\\0'`)], { encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}

t.test('a shell parses the same request, whatever header and body contain', async (t) => {
  const body = `{"name": "O'Hara $HOME \`id\` \\\\ \n"}`;
  const headers: [string, string][] = [
    ['Host', 'app:3100'],
    ['X-Correlation-Id', 'tr-1'],
    ['X-Odd', 'it\'s "$(id)"'],
    ['Content-Length', '12'],
  ];
  const shellWords = splitInShell(formatCurlCommand({ method: 'POST', url: 'http://app:3100/a?b=c&d', headers, body }));
  t.same(shellWords, [
    '-i',
    '-X',
    'POST',
    'http://app:3100/a?b=c&d',
    '-H',
    'X-Correlation-Id: tr-1',
    '-H',
    'X-Odd: it\'s "$(id)"',
    '--data-raw',
    body,
  ]);
});

t.test('a HEAD request uses --head', async (t) => {
  t.match(formatCurlCommand({ method: 'HEAD', url: 'http://app/', headers: [], body: null }), /^curl --head/);
});

t.test('a call of gRPC is a command of grpcurl', async (t) => {
  const headers: [string, string][] = [
    ['Host', 'app:50051'],
    ['Authorization', '[redacted]'],
    ['Content-Type', 'application/grpc'],
    ['TE', 'trailers'],
  ];
  const call = { method: 'POST', url: 'http://app:50051/shop.v1.Orders/Get', headers, body: '{ "name": "it\'s" }' };
  t.same(splitInShell(formatGrpcCommand(call)), [
    ...['-plaintext', '-H', 'Authorization: [redacted]', '-d', '{ "name": "it\'s" }'],
    ...['app:50051', 'shop.v1.Orders/Get'],
  ]);
  t.match(formatGrpcCommand({ ...call, url: 'https://app/a.B/C', body: null }), /^grpcurl \\\n.*'app:443' 'a\.B\/C'$/s);
});

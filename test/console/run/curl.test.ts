import { spawnSync } from 'node:child_process';
import t from 'tap';
import { curlOf } from '../../../src/console/run/curl.ts';

/** The words a shell makes of the command. */
function wordsOf(command: string): string[] {
  const { stdout } = spawnSync('sh', ['-c', command.replace(/^curl/, `printf '%s\\0'`)], { encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}

t.test('a shell makes the same request of it, whatever stands in header and body', async (t) => {
  const body = `{"name": "O'Hara $HOME \`id\` \\\\ \n"}`;
  const headers: [string, string][] = [
    ['Host', 'app:3100'],
    ['X-Correlation-Id', 'tr-1'],
    ['X-Odd', 'it\'s "$(id)"'],
    ['Content-Length', '12'],
  ];
  const words = wordsOf(curlOf({ method: 'POST', url: 'http://app:3100/a?b=c&d', headers, body }));
  t.same(words, [
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

t.test('a HEAD waits for no body', async (t) => {
  t.match(curlOf({ method: 'HEAD', url: 'http://app/', headers: [], body: null }), /^curl --head/);
});

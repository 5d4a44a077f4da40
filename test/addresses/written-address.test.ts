import t from 'tap';
import { completeAddress, isOtherHost } from '../../src/addresses/written-address.ts';

t.test('an address of this machine is completed by host and scheme', async (t) => {
  for (const [text, url] of [
    ['3000', 'http://127.0.0.1:3000'],
    ['3000/', 'http://127.0.0.1:3000'],
    [' :3000 ', 'http://127.0.0.1:3000'],
    ['localhost:3000', 'http://localhost:3000'],
    ['LOCALHOST', 'http://LOCALHOST'],
    ['127.0.0.1:3000/api', 'http://127.0.0.1:3000/api'],
    ['[::1]:3000', 'http://[::1]:3000'],
  ] as const)
    t.equal(completeAddress(text), url);
});

t.test('no scheme is guessed for another host, and a typing error stays one', async (t) => {
  const hosts = [
    'app.example',
    'app:3100',
    '192.0.2.2:80',
    'RT-two',
    '3201/api',
    'localhost.example',
    '[2001:db8::1]:80',
  ];
  const others = [
    'https://app.example/x',
    'ftp://x',
    'https:/x',
    'unix:/run/app.sock',
    'a@b',
    '::1',
    'http:localhost',
    '',
  ];
  for (const text of [...hosts, ...others]) t.equal(completeAddress(` ${text} `), text);
  for (const text of hosts) t.ok(isOtherHost(text), text);
  for (const text of [...others, '3000', 'localhost:3000']) t.notOk(isOtherHost(text), text);
});

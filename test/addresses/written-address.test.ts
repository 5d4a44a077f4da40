import t from 'tap';
import { completeAddress, hasScheme } from '../../src/addresses/written-address.ts';

t.test('an address is completed by host and scheme', async (t) => {
  for (const [text, url] of [
    ['3000', 'http://127.0.0.1:3000'],
    [' :3000 ', 'http://127.0.0.1:3000'],
    ['localhost:3000', 'http://localhost:3000'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['app.example', 'http://app.example'],
    ['https://app.example/x', 'https://app.example/x'],
    ['ftp://x', 'ftp://x'],
  ] as const)
    t.equal(completeAddress(text), url);
  t.ok(hasScheme('HTTPS://a'));
  t.notOk(hasScheme('localhost:3000'));
});

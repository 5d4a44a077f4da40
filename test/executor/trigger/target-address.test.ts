import t from 'tap';
import { formatAddress, formatHostHeader } from '../../../src/executor/trigger/target-address.ts';

t.test('the Host header has no port that the scheme implies, an address for messages always has one', async (t) => {
  const expected: readonly (readonly [origin: string, host: string, address: string])[] = [
    ['http://app', 'app', 'app:80'],
    ['https://app', 'app', 'app:443'],
    ['https://app:443', 'app', 'app:443'],
    ['http://app:443', 'app:443', 'app:443'],
    ['http://[::1]:3100', '[::1]:3100', '[::1]:3100'],
    ['http://APP.example:3100', 'app.example:3100', 'app.example:3100'],
  ];
  // Twice: the second time they are known.
  for (const [origin, host, address] of [...expected, ...expected]) {
    t.equal(formatHostHeader(origin), host, origin);
    t.equal(formatAddress(origin), address, origin);
  }
});

t.test('any number of addresses is described', async (t) => {
  for (let port = 1000; port < 1250; port += 1) t.equal(formatAddress(`http://app:${port}`), `app:${port}`);
  t.equal(formatHostHeader('http://app:1000'), 'app:1000');
});

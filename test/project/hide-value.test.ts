import t from 'tap';
import { hideValue } from '../../src/project/hide-value.ts';
import { fullConfig, readConfig } from './sample-configs.ts';

t.test('a short secret is hidden where it stands alone, and not within words', (t) => {
  const text = 'hide it only where y stands: y, "y"';
  t.equal(hideValue(text, 'y', '$Y'), 'hide it only where $Y stands: $Y, "$Y"');
  t.equal(hideValue('http://h/?key=a.b&x=aXb', 'a.b', '$K'), 'http://h/?key=$K&x=aXb', 'a text, not a pattern');
  t.equal(hideValue('text', '', '$Y'), 'text');
  t.end();
});

t.test('a long secret is hidden everywhere, and its mark is no pattern', (t) => {
  t.equal(hideValue('prefix-abcd xabcdx', 'abcd', '$&'), 'prefix-$& x$&x');
  t.end();
});

t.test('the warning about a short secret is readable and does not show it', (t) => {
  const { problems } = readConfig(fullConfig, { envText: 'API_TOKEN=longer-token\nDB_PASSWORD=y\nTENANT=acme\n' });
  const warning = problems.find(({ code }) => code === 'CONFIG_SECRET_SHORT');
  t.match(warning?.message, /reports hide it only where it stands alone/);
  t.end();
});

import t from 'tap';
import { isNameOfDomain, parseDomain, reverseDomain } from '../../../src/registry/dns-proof/domain.ts';

t.test('domains have at least two labels and are lower case', async (t) => {
  t.equal(parseDomain('Example.COM'), 'example.com');
  t.equal(parseDomain('xn--bcher-kva.example'), 'xn--bcher-kva.example');
  const none = [
    'com',
    '',
    '.',
    'example.com.',
    '.example.com',
    'example..com',
    '-a.example',
    'a-.example',
    'exa mple.com',
  ];
  const hostile = [
    '127.0.0.1',
    'bücher.example',
    'ex\u0430mple.com',
    '\u212aelvin.example',
    'example.com\n',
    'example.com/x',
    `${'a'.repeat(64)}.com`,
  ];
  for (const text of [...none, ...hostile, `${'a.'.repeat(130)}com`]) t.equal(parseDomain(text), undefined, text);
  t.equal(reverseDomain('hub.example.com'), 'com.example.hub');
});

t.test('a domain may publish the names below its own, and none that only begin like it', async (t) => {
  for (const name of ['com.example/hub', 'com.example.team/hub', 'COM.Example/hub'])
    t.ok(isNameOfDomain(name, 'example.com'), name);
  for (const name of [
    'com.example-evil/hub',
    'com.examplee/hub',
    'com/hub',
    'example.com/hub',
    'org.example/hub',
    'com.examp1e/hub',
  ])
    t.notOk(isNameOfDomain(name, 'example.com'), name);
  t.notOk(isNameOfDomain('com.example/hub', 'team.example.com'), 'a subdomain has not the names of its parent');
  t.ok(isNameOfDomain('com.example.team/hub', 'team.example.com'));
});

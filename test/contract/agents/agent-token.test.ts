import t from 'tap';
import { formatAgentToken, parseAgentToken } from '../../../src/contract/agents/agent-token.ts';

const secret = 'a_test_b-product_'.padEnd(43, 'x');

t.test('a token contains its instance and role, whatever its secret looks like', async (t) => {
  for (const instance of ['a', 'sign-dev', '0'.repeat(22), 'product', 'test'])
    for (const role of ['test', 'product'] as const)
      t.same(parseAgentToken(formatAgentToken({ instance, role }, secret)), { instance, role });
});

t.test('malformed tokens are not parsed', async (t) => {
  const token = formatAgentToken({ instance: 'sign-dev', role: 'test' }, secret);
  const malformed = [
    '',
    'vpr_',
    token.slice(0, -1),
    `${token}x`,
    ` ${token}`,
    `${token}\n`,
    token.replace('_test_', '_owner_'),
    token.replace('sign-dev', 'Sign'),
    token.replace('sign-dev', '-dev'),
    token.replace('sign-dev', ''),
    token.replace('sign-dev', 'a'.repeat(23)),
    token.replace('vpr_', 'vpe_'),
  ];
  for (const other of malformed) t.equal(parseAgentToken(other), undefined, other);
});

/** `vp serve --audit-anchor`: which places are accepted, and which are refused before the start. */
import { join } from 'node:path';
import t from 'tap';
import { parseAuditAnchoring } from '../../../src/commands/serve/audit-anchor-flags.ts';
import { createAnchorKey } from '../../../src/hub/audit/anchor-key.ts';

const parse = (anchors: readonly string[], key?: string, logLevel = 'info') =>
  parseAuditAnchoring(
    { 'audit-anchor': anchors, 'audit-anchor-seconds': 60, 'audit-key': key },
    { cwd: '/work' },
    logLevel,
  );

t.test('a file, the log and a webhook are places; without one nothing is stated', async (t) => {
  t.equal(parse([]), undefined);
  t.match(parse(['anchors.jsonl', 'log', 'https://log.example.com/x', 'http://127.0.0.1:9/x']), {
    intervalMs: 60_000,
    key: undefined,
    destinations: [
      { kind: 'file', file: '/work/anchors.jsonl' },
      { kind: 'log' },
      { kind: 'webhook', url: new URL('https://log.example.com/x') },
      { kind: 'webhook', url: new URL('http://127.0.0.1:9/x') },
    ],
  });
});

t.test('what would lose statements, or send them unencrypted, is refused', async (t) => {
  for (const place of ['http://log.example.com/x', 'ftp://log.example.com/x', 'https:'])
    t.throws(() => parse([place]), { code: 'FLAG_INVALID' }, place);
  t.throws(() => parse(['log'], undefined, 'warn'), { code: 'FLAG_INVALID', message: /log level info/ });
  const file = join(t.testdir(), 'audit.pem');
  t.throws(() => parse(['log'], file), { code: 'AUDIT_KEY_UNUSABLE' }, 'a missing key is not created');
  const { publicKey } = createAnchorKey(file);
  t.match(parse(['log'], file), { key: { publicKey } });
  t.throws(() => parse([], file), { code: 'FLAG_INVALID', message: /nothing to sign/ });
});

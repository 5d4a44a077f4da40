/** `vp serve --audit-anchor`: which places are accepted, and which are refused before the start. */
import { join } from 'node:path';
import t from 'tap';
import { openAuditAnchoring } from '../../../src/commands/serve/audit-anchor-flags.ts';
import { createAnchorKey } from '../../../src/hub/audit/signing/anchor-key.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createRootCertificate } from '../../targets/certificates.ts';

type Stamping = { readonly url?: string; readonly roots?: string };

const parse = (anchors: readonly string[], key?: string, logLevel = 'info', { url, roots }: Stamping = {}) =>
  openAuditAnchoring(
    {
      'audit-anchor': anchors,
      'audit-anchor-seconds': 60,
      'audit-key': key,
      'audit-tsa': url,
      'audit-tsa-ca': roots,
    },
    { cwd: '/work', clock: fakeClock(), variables: {} },
    logLevel,
  );

t.test('a file, the log and a webhook are places; without one nothing is stated', async (t) => {
  t.equal(await parse([]), undefined);
  t.match(await parse(['anchors.jsonl', 'log', 'https://log.example.com/x', 'http://127.0.0.1:9/x']), {
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
  for (const destination of ['http://log.example.com/x', 'ftp://log.example.com/x', 'https:'])
    await t.rejects(parse([destination]), { code: 'FLAG_INVALID' }, destination);
  await t.rejects(parse(['log'], undefined, 'warn'), { code: 'FLAG_INVALID', message: /log level info/ });
  const file = join(t.testdir(), 'audit.pem');
  await t.rejects(parse(['log'], file), { code: 'AUDIT_KEY_UNUSABLE' }, 'a missing key is not created');
  const { publicKey } = createAnchorKey(file);
  t.match(await parse(['log'], file), { key: { publicKey } });
  await t.rejects(parse([], file), { code: 'FLAG_INVALID', message: /nothing to sign/ });
});

t.test('a time stamp server needs the roots of its certificates, and something to stamp', async (t) => {
  const { file: roots } = createRootCertificate(t.testdir());
  const url = 'http://stamp.example.com/tsr';
  t.match(await parse(['log'], undefined, 'info', { url, roots }), { timeStamps: { url: new URL(url) } });
  const refuse = (stamping: Stamping, message: RegExp, anchors = ['log']) =>
    t.rejects(parse(anchors, undefined, 'info', stamping), { code: 'FLAG_INVALID', message });
  await refuse({ url }, /needs --audit-tsa-ca/);
  await refuse({ roots }, /which is missing/);
  await refuse({ url, roots }, /nothing to stamp/, []);
  for (const other of ['ftp://stamp.example.com', 'stamp.example.com', 'https://user:secret@stamp.example.com'])
    await refuse({ url: other, roots }, /not an http or https address/);
});

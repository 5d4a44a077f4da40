import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readCertificates, rootsWith } from '../../src/outbound/tls-roots.ts';
import { makeRoot } from '../targets/certificates.ts';

t.test('every certificate of a PEM file is read, text between them is not', async (t) => {
  const folder = t.testdir();
  const root = makeRoot(folder);
  const file = join(folder, 'both.pem');
  writeFileSync(file, `a bundle\n${root.cert}\nand another\n${root.cert}`);
  t.equal(readCertificates(file).length, 2);
});

t.test('a file without certificates is refused by name', async (t) => {
  const folder = t.testdir({
    'empty.pem': '',
    'broken.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
  });
  for (const name of ['empty.pem', 'broken.pem', 'absent.pem']) {
    t.throws(() => readCertificates(join(folder, name)), { code: 'EXECUTOR_CA_UNREADABLE', message: new RegExp(name) });
  }
});

t.test('extra roots are added to those of the runtime', async (t) => {
  t.equal(rootsWith([]), undefined);
  const roots = rootsWith(['extra']) ?? [];
  t.equal(roots.at(-1), 'extra');
  t.ok(roots.length > 50);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readCertificates, resolveTrustedRoots } from '../../src/outbound/tls-roots.ts';
import { createRootCertificate } from '../targets/certificates.ts';

t.test('all certificates of a PEM file are read, and the text between them is ignored', async (t) => {
  const folder = t.testdir();
  const root = createRootCertificate(folder);
  const file = join(folder, 'both.pem');
  writeFileSync(file, `a bundle\n${root.cert}\nand another\n${root.cert}`);
  t.equal(readCertificates(file).length, 2);
});

t.test('the error for a file without certificates names the file', async (t) => {
  const folder = t.testdir({
    'empty.pem': '',
    'broken.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
  });
  for (const name of ['empty.pem', 'broken.pem', 'absent.pem']) {
    t.throws(() => readCertificates(join(folder, name)), { code: 'EXECUTOR_CA_UNREADABLE', message: new RegExp(name) });
  }
});

t.test('extra roots are added to those of the runtime', async (t) => {
  t.equal(resolveTrustedRoots([]), undefined);
  const roots = resolveTrustedRoots(['extra']) ?? [];
  t.equal(roots.at(-1), 'extra');
  t.ok(roots.length > 50);
});

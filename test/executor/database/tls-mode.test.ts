import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import t from 'tap';
import { tlsAttempts } from '../../../src/executor/database/tls-mode.ts';
import { createDatabaseTarget } from './test-database.ts';

function attempts(parameters: Record<string, string>) {
  return tlsAttempts(createDatabaseTarget(5432, { parameters }), []);
}

const unverified = { rejectUnauthorized: false };

t.test('modes have the meaning that JDBC gives them', async (t) => {
  t.same(attempts({}), [unverified, false], 'TLS where the server has it');
  t.same(attempts({ sslmode: 'disable' }), [false]);
  t.same(attempts({ sslmode: 'allow' }), [false, unverified]);
  t.same(attempts({ sslmode: 'REQUIRE' }), [unverified]);
  t.same(attempts({ ssl: 'true' }), [{ rejectUnauthorized: true }]);
  t.same(attempts({ ssl: 'false' }), [unverified, false]);
  t.match(attempts({ sslmode: 'verify-ca' }), [{ rejectUnauthorized: true, checkServerIdentity: Function }]);
});

t.test('a configured root certificate, and an unknown mode', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vp-tls-mode-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const sslrootcert = join(folder, 'root.pem');
  const [root = ''] = getCACertificates('bundled');
  writeFileSync(sslrootcert, root);
  t.same(attempts({ sslmode: 'verify-full', sslrootcert }), [{ rejectUnauthorized: true, ca: [root.trim()] }]);
  writeFileSync(sslrootcert, 'nothing');
  t.throws(() => attempts({ sslmode: 'verify-full', sslrootcert }), { code: 'EXECUTOR_CA_UNREADABLE' });
  t.throws(() => attempts({ sslmode: 'maybe' }), { code: 'DATABASE_TLS', message: /`maybe`/ });
});

/** Signatures of statements: of one key, over every member. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type AnchorStatement, createStatement } from '../../../../src/hub/audit/anchor-statement.ts';
import { defaultAuditSettings } from '../../../../src/hub/audit/audit-settings.ts';
import { createAnchorKey, parsePublicAnchorKey, readAnchorKey } from '../../../../src/hub/audit/signing/anchor-key.ts';
import { checkStatements } from '../../../../src/hub/audit/verify-statements.ts';

const ends = [{ hub_id: 'h1', seq: 5, mac: Buffer.alloc(32, 1), at_ms: 1000, before_seq: 0, erased_seq: 2 }];

type MaybeStatement = AnchorStatement | undefined | Promise<AnchorStatement>;

async function findProblems(statements: readonly MaybeStatement[], publicKey?: string): Promise<string[]> {
  const lines = (await Promise.all(statements)).map((statement, index) => ({ line: index + 1, statement }));
  return [...checkStatements(lines, publicKey).problems];
}

t.test('a key is created for this user alone, and read again', async (t) => {
  const file = join(t.testdir(), 'keys', 'audit.pem');
  const key = createAnchorKey(file);
  t.equal(readAnchorKey(file).publicKey, key.publicKey);
  chmodSync(file, 0o644);
  t.throws(() => readAnchorKey(file), { code: 'STORE_KEY_EXPOSED' });
  t.throws(() => readAnchorKey(`${file}.other`), { code: 'AUDIT_KEY_UNUSABLE', message: /no such file/ });
  writeFileSync(`${file}.text`, 'not a key', { mode: 0o600 });
  t.throws(() => readAnchorKey(`${file}.text`), { code: 'AUDIT_KEY_UNUSABLE' });
  t.throws(() => parsePublicAnchorKey('not a key', file), { code: 'AUDIT_KEY_UNUSABLE' });
});

t.test('the public key of a new key is never taken for a flag', async (t) => {
  const folder = t.testdir();
  const keys = Array.from({ length: 300 }, (_, index) => createAnchorKey(join(folder, `${index}.pem`)).publicKey);
  t.same(
    keys.filter((key) => key.startsWith('-')),
    [],
  );
});

t.test('every member of a statement is signed', async (t) => {
  const key = createAnchorKey(join(t.testdir(), 'audit.pem'));
  const statement = await createStatement(ends, 5000, defaultAuditSettings, key);
  t.same(await findProblems([statement], key.publicKey), []);
  const [chain] = statement.chains;
  if (!chain) throw new TypeError('there is a chain');
  const { limits } = statement;
  const changed: AnchorStatement[] = [
    { ...statement, at_ms: 5001 },
    { ...statement, limits: { ...limits, max_age_ms: 1 } },
    { ...statement, limits: { ...limits, arguments_max_age_ms: 1 } },
    { ...statement, limits: { ...limits, max_bytes: 1 } },
    { ...statement, chains: [] },
    { ...statement, chains: [chain, chain] },
    { ...statement, chains: [{ ...chain, hub_id: 'h2' }] },
    { ...statement, chains: [{ ...chain, seq: 4 }] },
    { ...statement, chains: [{ ...chain, mac: '00'.repeat(32) }] },
    { ...statement, chains: [{ ...chain, at_ms: null }] },
    { ...statement, chains: [{ ...chain, before_seq: 1 }] },
    { ...statement, chains: [{ ...chain, erased_seq: null }] },
    { ...statement, signature: 'AAAA' },
  ];
  for (const other of changed) t.same(await findProblems([other], key.publicKey), ['line 1 has a wrong signature']);
});

t.test('statements of another key, unsigned ones and lines that are none are faults', async (t) => {
  const folder = t.testdir();
  const [key, otherKey] = [createAnchorKey(join(folder, 'a.pem')), createAnchorKey(join(folder, 'b.pem'))];
  const create = (by?: typeof key) => createStatement(ends, 5000, defaultAuditSettings, by);
  t.same(await findProblems([create(otherKey)], key.publicKey), ['line 1 is signed with another key']);
  t.same(await findProblems([create(key), create(otherKey)]), ['line 2 is signed with another key']);
  t.same(await findProblems([create()], key.publicKey), ['line 1 is not signed']);
  t.same(await findProblems([create(key), create()]), ['line 2 is not signed']);
  t.same(await findProblems([create(), create(key)]), ['line 2 is signed, others are not']);
  t.same(await findProblems([create(), undefined]), ['line 2 is not a statement']);
  t.same(await findProblems([]), ['the file has no statement']);
  t.same(await findProblems([create(), create()]), []);
});

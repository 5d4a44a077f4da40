/** A row that a kill left in `audit.recent` is the same as one that was written at once, whatever a call contains. */
import { readFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import t from 'tap';
import type { AuditEntry } from '../../../src/hub/audit/audit-entry.ts';
import { createSystemEntry } from '../../../src/hub/audit/system-entry.ts';
import { copyFolder, openInFolder, recentFile } from './recent-folder.ts';
import { createEntry, createPrincipal, listFaults, openTestAudit, type TestAudit } from './test-audit.ts';

t.test('every kind of row is added after a kill', async (t) => {
  const testAudit = await openInFolder(t);
  const { hub } = createPrincipal();
  const nested = {
    a: 'tab\there',
    b: 'line\nend\r\n\u2028',
    c: '\ud83d\ude00',
    d: `${'x'.repeat(999)}\ud83d\ude00`,
    'k\t\n': [1, null, { é: true }],
  };
  const entries: AuditEntry[] = [
    createEntry({ requestId: 'r-1' }),
    createEntry({ requestId: 'r-2', arguments: nested }),
    createEntry({ requestId: 'r-3', arguments: undefined, redact: { keep: false, hide: [] } }),
    createEntry({ requestId: 'r-4', arguments: '' }),
    createEntry({ requestId: 'r-5', arguments: null }),
    createEntry({ requestId: 'r-6', reason: 'a reason\twith a tab\nand a line end \u202e \ud800', outcome: 'failed' }),
    createEntry({ requestId: 'r-7', connection: undefined, tool: undefined, method: 'tools/list', outcome: 'denied' }),
    createEntry({ requestId: 'r-8', counts: 'nothing', outcome: 'cancelled' }),
    createEntry({ requestId: 'r-9', counts: 'bytes', outcome: 'timeout', durationMs: 0.00001 }),
    createEntry({
      requestId: 'r-10',
      principal: createPrincipal('acme', 'É\u0000va\t', { via: { kind: 'console' }, client: undefined }),
    }),
    createEntry({
      requestId: 'r-11',
      principal: createPrincipal('acme', 'Ana', {
        role: 'viewer',
        via: { kind: 'grant', clientId: 'c\t1', clientName: 'client\n', scopes: [] },
      }),
    }),
    createEntry({ requestId: 'r-12', arguments: { deep: JSON.parse('['.repeat(40) + ']'.repeat(40)) } }),
    createEntry({ requestId: 'r-13', requestBytes: 5_000_000, arguments: { text: 'y'.repeat(300_000) } }),
    createEntry({ requestId: 'x'.repeat(400) }),
    createSystemEntry(hub, { atMs: 1_800_000_000_000, method: 'audit/loss', reason: 'a reason', durationMs: 0 }),
  ];
  for (const entry of entries) await testAudit.audit.record(entry);
  const folder = copyFolder(testAudit);
  t.equal(readFileSync(recentFile({ folder }), 'utf8').split('\n').length - 1, entries.length - 1, 'each has a line');
  const read = async ({ audit }: Pick<TestAudit, 'audit'>) => {
    const calls: unknown[] = [];
    for await (const page of audit.calls(hub.id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER })) calls.push(...page);
    return calls;
  };
  const after = await openTestAudit(t, {}, { folder, clock: testAudit.clock });
  t.same(await read(after), await read(testAudit));
  t.same(await listFaults(after), []);
  t.same(after.errors, []);
  const rows = (file: string) => {
    const sqlite = new Sqlite(file, { readonly: true });
    const all = sqlite.prepare('SELECT * FROM entries ORDER BY hub, seq').all();
    sqlite.close();
    return all;
  };
  await testAudit.audit.syncToDisk();
  t.same(rows(after.file), rows(testAudit.file), 'with the same columns');
});

/** Folders with calls in `audit.recent`, as a kill leaves them. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { AuditEntry } from '../../../src/hub/audit/audit-entry.ts';
import type { AuditSettings } from '../../../src/hub/audit/audit-settings.ts';
import { createEntry, openTestAudit, type TestAudit } from './test-audit.ts';

export const recentFile = ({ folder }: Pick<TestAudit, 'folder'>): string => join(folder, 'audit.recent');

/** In a folder of the test's, so that {@link copyFolder} can copy it beside. */
export function openInFolder(t: Test, settings: Partial<AuditSettings> = {}): Promise<TestAudit> {
  return openTestAudit(t, settings, { folder: join(t.testdir(), 'data') });
}

let copies = 0;

/** The folder as a kill leaves it. */
export function copyFolder({ folder }: Pick<TestAudit, 'folder'>): string {
  copies += 1;
  const copy = `${folder}-${copies}`;
  cpSync(folder, copy, { recursive: true });
  return copy;
}

export async function listRequestIds({ audit }: Pick<TestAudit, 'audit'>, hub = 'acme'): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  const everything = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  for await (const page of audit.calls(`id-of-${hub}`, everything)) ids.push(...page.map((call) => call.request_id));
  return ids;
}

export async function recordCalls(
  { audit }: Pick<TestAudit, 'audit'>,
  ids: readonly string[],
  overrides: Partial<AuditEntry> = {},
): Promise<void> {
  for (const requestId of ids) await audit.record(createEntry({ requestId, ...overrides }));
}

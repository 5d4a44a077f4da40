import type { Test } from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { type AuditLog, auditFile, chainKeys, openAudit, openAuditKey } from '../../../src/hub/audit/audit-log.ts';
import type { AuditSettings } from '../../../src/hub/audit/settings.ts';
import { type ChainVerdict, verifyChains } from '../../../src/hub/audit/verify.ts';
import type { AuditEntry, HubPrincipal } from '../../../src/hub/words.ts';
import { readAuditMeta } from '../../../src/store/audit/chains.ts';
import { openAuditReader } from '../../../src/store/audit/database.ts';
import { type FakeClock, fakeClock } from '../../environment/fake-clock.ts';

export const masterKey = { id: 0, bytes: Buffer.alloc(32, 7) };

/** Somebody of a hub, by a token. */
export function principalOf(hub = 'acme', person = 'Ana', more: Partial<HubPrincipal> = {}): HubPrincipal {
  return {
    hub: { id: `id-of-${hub}`, slug: hub },
    person: { personId: `id-of-${person}`, name: person },
    role: 'member',
    via: { kind: 'token', tokenId: `token-of-${person}`, tokenName: 'laptop' },
    client: { name: 'agent', version: '1.2.3' },
    ...more,
  };
}

/** A call that went well. */
export function aCall(more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    atMs: Date.UTC(2026, 10, 20, 14, 30),
    principal: principalOf(),
    method: 'tools/call',
    connection: { id: 'c1', name: 'tickets' },
    tool: 'create',
    arguments: { title: 'Broken door' },
    redact: { keep: true, hide: [] },
    outcome: 'ok',
    reason: undefined,
    durationMs: 12.5,
    requestBytes: 120,
    answerBytes: 900,
    requestId: 'r-1',
    ...more,
  };
}

export type OpenedAudit = {
  readonly audit: AuditLog;
  readonly folder: string;
  readonly file: string;
  readonly clock: FakeClock;
  readonly faults: unknown[];
};

/** An audit in a folder of the test; disks that are full say so only where the test wants it. */
export async function openedAudit(
  t: Test,
  settings: Partial<AuditSettings> = {},
  { folder = t.testdir(), clock = fakeClock() } = {},
): Promise<OpenedAudit> {
  const faults: unknown[] = [];
  const onFault = (fault: unknown): void => void faults.push(fault);
  const options = { folder, masterKey, clock, random: systemRandom, onFault };
  const audit = await openAudit({ ...options, settings: { leaveFreeBytes: 0, ...settings } });
  t.teardown(() => audit.close().catch(() => undefined));
  return { audit, folder, file: auditFile(folder), clock, faults };
}

/** What verification says, by a reader of its own as in another process. */
export function verdictsOf({ file, folder }: Pick<OpenedAudit, 'file' | 'folder'>): ChainVerdict[] {
  const reader = openAuditReader(file);
  try {
    const sealed = reader.read((sql) => readAuditMeta(sql, 'key'));
    if (!sealed) throw new TypeError('no key');
    const keys = chainKeys(openAuditKey(masterKey, sealed, folder));
    return [
      ...verifyChains(
        (operation) => reader.read(operation),
        keys,
        () => undefined,
      ),
    ];
  } finally {
    reader.close();
  }
}

/** All faults, as words. */
export function faultsOf(opened: Pick<OpenedAudit, 'file' | 'folder'>): string[] {
  return verdictsOf(opened).flatMap(({ faults }) => faults.map(({ kind, seq }) => `${kind} ${seq ?? ''}`.trim()));
}

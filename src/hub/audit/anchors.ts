/**
 * Anchors: the control plane's own store knows how far each chain of the audit had come, so that an audit file that was
 * deleted, emptied or replaced by an older copy is noticed.
 */
import type { AuditDatabase } from '../../store/audit/audit-database.ts';
import { findAuditChain, listAuditEnds } from '../../store/audit/chains.ts';
import { findAuditEntryMac } from '../../store/audit/entries.ts';
import {
  type AuditAnchorRow,
  insertAuditLosses,
  listAuditAnchors,
  saveAuditAnchors,
} from '../../store/control/audit-anchors.ts';
import type { Database } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import type { AuditEntry } from './audit-entry.ts';
import { createSystemEntry } from './system-entry.ts';

/** `hub` is the slug, or the id of a removed hub. */
export type AnchorFault = {
  readonly kind: 'missing' | 'older' | 'altered';
  readonly hubId: string;
  readonly hub: string;
  readonly seq: number;
  readonly problem: string;
};

/** `mayBeLost`: the operator accepts what is missing. */
export type AuditAnchors = { readonly database: Database; readonly mayBeLost: boolean };

/** What the anchors know and the audit does not have. */
export function findAnchorFaults(sql: Sql, anchors: readonly AuditAnchorRow[]): AnchorFault[] {
  return anchors.flatMap((anchor) => findFault(sql, anchor) ?? []);
}

/** The same for an audit file that is not there. */
export function findMissingFile(anchors: readonly AuditAnchorRow[]): AnchorFault[] {
  return anchors.map((anchor) =>
    createFault(anchor, 'missing', `the file is missing, which had ${anchor.seq} entries`),
  );
}

function createFault(anchor: AuditAnchorRow, kind: AnchorFault['kind'], problem: string): AnchorFault {
  return { kind, hubId: anchor.hub_id, hub: anchor.slug ?? anchor.hub_id, seq: anchor.seq, problem };
}

function findFault(sql: Sql, anchor: AuditAnchorRow): AnchorFault | undefined {
  const { hub_id, seq, mac, at_ms } = anchor;
  const known = `the control plane has noted entry ${seq} at ${new Date(at_ms).toISOString()}`;
  const chain = findAuditChain(sql, hub_id);
  if (!chain) return createFault(anchor, 'missing', `the chain is missing, although ${known}`);
  if (chain.head_seq < seq)
    return createFault(anchor, 'older', `it ends with entry ${chain.head_seq}, although ${known}`);
  if (chain.before_seq > seq) return undefined;
  const storedMac = chain.before_seq === seq ? chain.before_mac : findAuditEntryMac(sql, chain.hub, seq);
  if (storedMac && Buffer.compare(storedMac, mac) === 0) return undefined;
  return createFault(anchor, 'altered', `entry ${seq} is missing or another one than the control plane has noted`);
}

export function formatFaults(faults: readonly AnchorFault[]): string {
  const more = faults.length > 3 ? `; and ${faults.length - 3} more` : '';
  return `${faults
    .slice(0, 3)
    .map(({ hub, problem }) => `${hub}: ${problem}`)
    .join('; ')}${more}`;
}

export function readAnchors(database: Database): Promise<AuditAnchorRow[]> {
  return database.read(listAuditAnchors);
}

/**
 * Notes in the control plane's store how far the audit has come, and in the audit how far that store has: an older copy of either is
 * noticed. Call it when the audit's checkpoints are on the disk.
 */
export async function recordAnchors(
  audit: Pick<AuditDatabase, 'read' | 'noteControlCommits'>,
  { database }: AuditAnchors,
  atMs: number,
): Promise<void> {
  const ends = await audit.read(listAuditEnds);
  const rows = ends.map((end) => ({ ...end, at_ms: atMs }));
  await database.write((control) => saveAuditAnchors(control, rows));
  const commits = database.countCommits();
  if (commits !== undefined) await audit.noteControlCommits(commits);
}

/** Records an accepted loss in the control plane's store; returns the entries that record it in the chains. */
export async function acceptLosses(
  faults: readonly AnchorFault[],
  { database }: AuditAnchors,
  nowMs: number,
): Promise<AuditEntry[]> {
  const losses = faults.map(({ hubId, seq, problem }) => ({ hub_id: hubId, seq, problem, accepted_at_ms: nowMs }));
  await database.write((sql) => insertAuditLosses(sql, losses));
  return faults.map(({ hubId, hub, problem }) =>
    createSystemEntry(
      { id: hubId, slug: hub },
      {
        atMs: nowMs,
        method: 'audit/loss',
        reason: `an operator accepted that entries are lost: ${problem}`,
        durationMs: 0,
      },
    ),
  );
}

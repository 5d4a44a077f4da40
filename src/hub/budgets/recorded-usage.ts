/**
 * What the audit says was used of a hub in one period, up to one of its entries. It is stored now and then, so that a start reads only the
 * entries since, and so that retention of the audit takes nothing away from a budget.
 */
import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import { findBudgetUsage, saveBudgetUsage } from '../../store/control/hubs/budget-usage.ts';
import type { Database } from '../../store/database.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type BudgetPeriod, getPeriodEndMs } from './budget-period.ts';
import { parseUsageCounts, readRecordedUsage, UsageCounts } from './usage-counts.ts';

export type RecordedUsageDependencies = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly audit: Pick<AuditLog, 'calls' | 'callsByTime' | 'state'>;
};

type RecordedPeriod = { readonly hubId: string; readonly period: BudgetPeriod; readonly startMs: number };

export class RecordedUsage {
  readonly counts = new UsageCounts();
  readonly startMs: number;
  readonly #dependencies: RecordedUsageDependencies;
  readonly #recorded: RecordedPeriod;
  #seq = 0;
  #savedSeq = 0;
  /** Entries that are written while earlier ones are read. */
  #written: AuditCall[] | undefined = [];

  constructor(dependencies: RecordedUsageDependencies, recorded: RecordedPeriod) {
    this.#dependencies = dependencies;
    this.#recorded = recorded;
    this.startMs = recorded.startMs;
  }

  /** Call it for every entry that is written, from before `load` on. */
  onWritten(call: AuditCall): void {
    if (this.#written) this.#written.push(call);
    else this.#addNew(call);
  }

  async load(): Promise<void> {
    const { database, audit } = this.#dependencies;
    const { hubId, period, startMs } = this.#recorded;
    const { last_seq: newestSeq } = await audit.state(hubId);
    const lastSeq = newestSeq ?? 0;
    const row = await database.read((sql) => findBudgetUsage(sql, hubId, period));
    // An audit that was lost and begun again has smaller numbers; one whose entries were all deleted has none.
    const isOfPeriod = row?.start_ms === startMs && (newestSeq === null || row.audit_seq <= lastSeq);
    const stored = isOfPeriod ? parseUsageCounts(row.usage) : undefined;
    if (stored) this.counts.addAll(stored);
    // A period that has just begun has few entries, whatever the audit holds.
    const pages = stored
      ? audit.calls(hubId, { fromMs: startMs, toMs: Number.MAX_SAFE_INTEGER, afterSeq: row?.audit_seq ?? 0 })
      : audit.callsByTime(hubId, { fromMs: startMs, untilSeq: lastSeq });
    for await (const calls of pages) for (const call of calls) if (call.seq <= lastSeq) this.#add(call);
    this.#seq = newestSeq ?? row?.audit_seq ?? 0;
    const written = this.#written ?? [];
    this.#written = undefined;
    for (const call of written) this.#addNew(call);
  }

  /** Stores the counts, if there are new ones. */
  async save(): Promise<void> {
    if (this.#written || this.#seq === this.#savedSeq) return;
    const { hubId, period, startMs } = this.#recorded;
    const audit_seq = this.#seq;
    const usage = JSON.stringify(this.counts.list());
    await this.#dependencies.database.write((sql) =>
      saveBudgetUsage(sql, { hub_id: hubId, period, start_ms: startMs, audit_seq, usage }),
    );
    this.#savedSeq = audit_seq;
  }

  /** An entry may be announced after `load` has read it. */
  #addNew(call: AuditCall): void {
    if (call.seq <= this.#seq) return;
    this.#seq = call.seq;
    this.#add(call);
  }

  #add(call: AuditCall): void {
    const atMs = Date.parse(call.at);
    const isWithin = atMs >= this.startMs && atMs < getPeriodEndMs(this.#recorded.period, this.startMs);
    const recorded = isWithin ? readRecordedUsage(call) : undefined;
    if (recorded) this.counts.add(recorded.source, recorded.amount);
  }
}

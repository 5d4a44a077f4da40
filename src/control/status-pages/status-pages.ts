/** Status pages of an instance, as people create, extend and revoke them. */

import { maxStatusPageDays } from '../../contract/status-page-limits.ts';
import type { StatusPage } from '../../contract/status-pages-api.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  deleteEndedStatusPages,
  deleteStatusPage,
  findStatusPage,
  insertStatusPage,
  listStatusPages,
  type StatusPageRow,
  saveStatusPageEnd,
} from '../../store/control/status-pages/status-pages.ts';
import { parseTexts } from '../../store/json-column.ts';
import type { Sql } from '../../store/sql.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';
import type { StatusPagesService } from './status-pages-service.ts';
import { createStatusReader, hashStatusSecret } from './status-reader.ts';

const dayMs = 86_400_000;
const maxPages = 50;
/** Ended pages are listed that long. */
const endedMs = 30 * dayMs;

function createProblem(problem: string) {
  return vpError('STATUS_PAGE_INVALID', { problem, days: maxStatusPageDays });
}

/** A whole day may be named: its end is up to a day later than the same time of it. */
function parseEnd(until: string, nowMs: number): number {
  const untilMs = Date.parse(until);
  if (Number.isNaN(untilMs)) throw createProblem(`its end ${until} is not a valid time`);
  if (untilMs <= nowMs) throw createProblem(`its end ${until} is in the past`);
  if (untilMs >= (Math.floor(nowMs / dayMs) + maxStatusPageDays + 1) * dayMs)
    throw createProblem(`its end ${until} is more than a year ahead`);
  return untilMs;
}

function cleanTitle(title: string): string {
  const cleaned = title.replaceAll(/\s+/g, ' ').trim();
  if (cleaned === '') throw createProblem('it has no title');
  return cleaned;
}

function requireStatusPage(sql: Sql, instance: string, id: string): StatusPageRow {
  requireInstance(sql, instance);
  const row = findStatusPage(sql, instance, id);
  if (row) return row;
  throw vpError('STATUS_PAGE_UNKNOWN', { page: id, instance });
}

function toStatusPage(row: StatusPageRow, nowMs: number): StatusPage {
  return {
    ...{ status_page_id: row.id, instance: row.instance_id, title: row.title },
    ...{ tags: parseTexts(row.tags), suite: row.suite, branch: row.branch, stale_after_s: row.stale_after_s },
    ...{ until: formatTimestamp(row.until_ms), ended: row.until_ms <= nowMs },
    ...{ created_by: row.created_by, created_at: formatTimestamp(row.created_at_ms) },
    last_viewed_at: formatTimestampOrNull(row.last_viewed_at_ms),
  };
}

export function createStatusPagesService(
  runtime: ControlRuntime,
  onError: (error: unknown) => void,
): StatusPagesService {
  const { context } = runtime;
  const { clock, random } = context;
  const { database } = context.store;
  const reader = createStatusReader(runtime, onError);

  return {
    list(instance) {
      return database.read((sql) => {
        requireInstance(sql, instance);
        return listStatusPages(sql, instance).map((row) => toStatusPage(row, clock.nowMs()));
      });
    },
    async create(instance, input, actor) {
      const nowMs = clock.nowMs();
      const secret = random.token(32);
      const row: StatusPageRow = {
        ...{ id: Buffer.from(random.bytes(5)).toString('hex'), instance_id: instance },
        ...{ title: cleanTitle(input.title), tags: JSON.stringify(input.tags ?? []), suite: input.suite ?? null },
        branch: input.branch ?? null,
        ...{ stale_after_s: input.stale_after_s ?? null, until_ms: parseEnd(input.until, nowMs) },
        ...{ created_by: actor.name, created_at_ms: nowMs, last_viewed_at_ms: null },
      };
      await database.write((sql) => {
        requireInstance(sql, instance);
        deleteEndedStatusPages(sql, instance, nowMs - endedMs);
        if (listStatusPages(sql, instance).filter(({ until_ms: untilMs }) => untilMs > nowMs).length >= maxPages)
          throw createProblem(`${instance} has ${maxPages} already, and can have no more`);
        insertStatusPage(sql, row, hashStatusSecret(context, secret));
      });
      return { statusPage: toStatusPage(row, nowMs), secret };
    },
    async extend(instance, id, { until }) {
      const nowMs = clock.nowMs();
      const extended = await database.write((sql) => {
        const row = requireStatusPage(sql, instance, id);
        const untilMs = parseEnd(until, nowMs);
        saveStatusPageEnd(sql, id, untilMs);
        return toStatusPage({ ...row, until_ms: untilMs }, nowMs);
      });
      reader.clear();
      return extended;
    },
    async revoke(instance, id) {
      const nowMs = clock.nowMs();
      const revoked = await database.write((sql) => {
        const row = requireStatusPage(sql, instance, id);
        deleteStatusPage(sql, id);
        return toStatusPage(row, nowMs);
      });
      reader.clear();
      return revoked;
    },
    findPublic: (secret) => reader.find(secret),
  };
}

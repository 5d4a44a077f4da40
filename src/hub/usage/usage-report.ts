/** Counts calls of the audit. Nothing is counted while calls are made, so that the numbers are those of the audit, also after a crash. */
import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import type { HubUsage, HubUsageItem, UsageGrouping } from '../../contract/hubs/usage-api.ts';
import { getPercentile, sortNumbers } from '../../insight/percentile.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { parseRecordedMethod } from '../policy/recorded-parts.ts';

export type UsageRequest = {
  readonly hubId: string;
  readonly by: UsageGrouping;
  readonly fromMs: number;
  readonly toMs: number;
  /** The only person whose calls are counted; undefined for all. */
  readonly person: string | undefined;
};

type Group = {
  readonly id: string;
  readonly name: string;
  calls: number;
  errors: number;
  denied: number;
  cancelled: number;
  readonly durationsMs: number[];
  requestBytes: number;
  answerBytes: number;
};

const maxCountedCalls = 100_000;
const pageSize = 1000;
const maxItems = 1000;
const bytesPerToken = 4;

const groupKeys: Readonly<Record<UsageGrouping, (call: AuditCall) => readonly [id: string, name: string]>> = {
  person: ({ person_id: id, person }) => [id, person],
  client: ({ client }) => [client ?? '', client ?? 'not stated'],
  tool: ({ connection, tool }) => toSame(connection === null ? (tool ?? '') : `${connection}__${tool}`),
  connection: ({ connection }) => toSame(connection ?? 'the hub itself'),
  token: ({ via, via_id: id, via_name: name }) => [`${via} ${id ?? ''}`.trim(), name ?? via],
  day: ({ at }) => toSame(at.slice(0, 10)),
};

const toSame = (text: string): readonly [string, string] => [text, text];

/** Newest calls are counted first. */
export async function createUsageReport(audit: Pick<AuditLog, 'search'>, request: UsageRequest): Promise<HubUsage> {
  const { hubId, by, fromMs, toMs, person } = request;
  const groups = new Map<string, Group>();
  const total = createGroup('', '');
  let oldestMs = toMs;
  let isPartial = false;
  let cursor: string | undefined;
  do {
    const page = await audit.search(hubId, { fromMs, toMs, person, cursor, limit: pageSize });
    for (const call of page.items) {
      if (!isCountedCall(call)) continue;
      const [id, name] = groupKeys[by](call);
      const group = groups.get(id) ?? createGroup(id, name);
      groups.set(id, group);
      for (const counted of [group, total]) addCall(counted, call);
      oldestMs = Date.parse(call.at);
    }
    cursor = page.next;
    isPartial = cursor !== undefined && total.calls >= maxCountedCalls;
    // Other work runs between pages.
    await new Promise((resolve) => setImmediate(resolve));
  } while (cursor !== undefined && !isPartial);
  const { id: _id, name: _name, ...counts } = toItem(total);
  return {
    by,
    is_partial: isPartial,
    from: new Date(isPartial ? oldestMs : fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    total: counts,
    items: [...groups.values()]
      .sort(by === 'day' ? compareDays : compareCalls)
      .slice(0, maxItems)
      .map(toItem),
  };
}

const compareDays = (a: Group, b: Group): number => (a.id < b.id ? -1 : 1);
const compareCalls = (a: Group, b: Group): number => b.calls - a.calls || (a.name < b.name ? -1 : 1);

/** One row of each call: not the row of its start, nor those of its `_meta` and answers. */
function isCountedCall({ method, outcome }: AuditCall): boolean {
  return outcome !== 'started' && parseRecordedMethod(method)?.part === 'arguments';
}

function createGroup(id: string, name: string): Group {
  const counts = { calls: 0, errors: 0, denied: 0, cancelled: 0, requestBytes: 0, answerBytes: 0 };
  return { id, name, ...counts, durationsMs: [] };
}

function addCall(group: Group, { outcome, duration_ms: durationMs, request_bytes, answer_bytes }: AuditCall): void {
  group.calls += 1;
  group.requestBytes += request_bytes;
  group.answerBytes += answer_bytes;
  if (outcome === 'denied') group.denied += 1;
  else if (outcome === 'cancelled') group.cancelled += 1;
  else {
    if (outcome !== 'ok') group.errors += 1;
    if (outcome !== 'unknown') group.durationsMs.push(durationMs);
  }
}

function toItem({ id, name, calls, errors, denied, cancelled, durationsMs, ...bytes }: Group): HubUsageItem {
  const sorted = sortNumbers(durationsMs);
  return {
    ...{ id, name, calls, errors, denied, cancelled },
    p50_ms: getPercentile(sorted, 0.5),
    p95_ms: getPercentile(sorted, 0.95),
    request_bytes: bytes.requestBytes,
    answer_bytes: bytes.answerBytes,
    estimated_tokens: Math.ceil((bytes.requestBytes + bytes.answerBytes) / bytesPerToken),
  };
}

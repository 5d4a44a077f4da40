/**
 * How large the audit is on PostgreSQL. The sizes of its files do not fall when rows are deleted: the server uses their space
 * again. A limit that is compared with them would delete everything. What is counted are therefore the rows that are there,
 * which the chains know, times the size of some of them.
 */

/** Rows whose size is read; at least one of each hub. */
const sampledRows = 1024;

/**
 * Bytes of a row beside its long columns, and of its entries in indexes: measured on 12,000 rows, with up to 250 bytes of
 * indexes where times and people differ, and 156 where they are equal. Pages are not quite full.
 */
const entryBytes = '1.05 * (120 + pg_column_size(e.body) + pg_column_size(e.mac)) + 200';
const argumentsBytes = '1.05 * (36 + pg_column_size(a.salt) + coalesce(pg_column_size(a.text), 0)) + 24';

/** Rows of all hubs. Costs as much as there are hubs. */
const auditRowsText = 'SELECT sum(head_seq - before_seq) AS count FROM vp_audit.chains';

/**
 * Bytes of a row with its arguments and indexes, on average. Rows are taken at equal distances of each chain: the newest alone
 * would say nothing about earlier ones, whose arguments may have been erased. They are found by their numbers, so that deleted
 * rows that the server has not yet removed cost nothing.
 */
const auditRowBytesText = `SELECT avg(${entryBytes} + coalesce(${argumentsBytes}, 0)) AS bytes
  FROM (SELECT hub, before_seq, head_seq - before_seq AS count, sum(head_seq - before_seq) OVER () AS total
    FROM vp_audit.chains WHERE head_seq > before_seq) AS c
  CROSS JOIN LATERAL (SELECT ceil(least(c.count, c.count * ${sampledRows}.0 / c.total)) AS count) AS share
  CROSS JOIN LATERAL generate_series(0, share.count - 1) AS step
  JOIN vp_audit.entries e ON e.hub = c.hub AND e.seq = c.before_seq + 1 + div(c.count * step, share.count)
  LEFT JOIN vp_audit.arguments a ON a.entry = e.id`;

/** Sends a query; numbers come back as numbers. */
export type SendSizeQuery = (text: string) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;

async function readNumber(send: SendSizeQuery, text: string, column: string): Promise<number> {
  const { rows } = await send(text);
  return Number(rows[0]?.[column] ?? 0);
}

export function countAuditRows(send: SendSizeQuery): Promise<number> {
  return readNumber(send, auditRowsText, 'count');
}

export function readAuditRowBytes(send: SendSizeQuery): Promise<number> {
  return readNumber(send, auditRowBytesText, 'bytes');
}

/** Bytes of the rows that are there, with their indexes. */
export async function readAuditBytes(send: SendSizeQuery): Promise<number> {
  return Math.round((await countAuditRows(send)) * (await readAuditRowBytes(send)));
}

/** Versions in the form of the API. Their documents are passed on as they were published. */
import { registryMetaName } from '../contract/registry-api.ts';
import type { RegistryVersionRow } from '../store/control/registry-versions.ts';

const moment = (epochMs: number): string => new Date(epochMs).toISOString();

/** One version, as JSON text. */
export function entryText(row: RegistryVersionRow): string {
  const meta = {
    status: row.status,
    ...(row.status_message === null ? {} : { statusMessage: row.status_message }),
    publishedAt: moment(row.published_at_ms),
    updatedAt: moment(row.updated_at_ms),
    isLatest: row.is_latest === 1,
  };
  return `{"server":${row.document},"_meta":${JSON.stringify({ [registryMetaName]: meta })}}`;
}

/** A page of them; `nextCursor` is absent on the last. */
export function listText(rows: readonly RegistryVersionRow[], nextCursor: string | undefined): string {
  const metadata = JSON.stringify({ ...(nextCursor === undefined ? {} : { nextCursor }), count: rows.length });
  return `{"servers":[${rows.map(entryText).join(',')}],"metadata":${metadata}}`;
}

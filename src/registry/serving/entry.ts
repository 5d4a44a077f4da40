/** Versions as JSON texts of the API. Documents are passed on exactly as they were published. */
import { registryMetaName } from '../../contract/registry/registry-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { RegistryVersionRow } from '../../store/control/registry/versions.ts';

const formatTimestamp = (epochMs: number): string => new Date(epochMs).toISOString();

export function formatRegistryEntry(row: RegistryVersionRow): string {
  const meta = {
    status: row.status,
    ...(row.status_message === null ? {} : { statusMessage: row.status_message }),
    publishedAt: formatTimestamp(row.published_at_ms),
    updatedAt: formatTimestamp(row.updated_at_ms),
    isLatest: row.is_latest === 1,
  };
  return `{"server":${row.document},"_meta":${JSON.stringify({ [registryMetaName]: meta })}}`;
}

/** `nextCursor` is absent on the last page. */
export function formatEntryList(rows: readonly RegistryVersionRow[], nextCursor: string | undefined): string {
  const metadata = JSON.stringify({ ...(nextCursor === undefined ? {} : { nextCursor }), count: rows.length });
  return `{"servers":[${rows.map(formatRegistryEntry).join(',')}],"metadata":${metadata}}`;
}

/** The position of a version in lists. It is public, so callers may change cursors. */
export type VersionPosition = { readonly name: string; readonly id: number };

export function formatCursor({ name, id }: VersionPosition): string {
  return Buffer.from(`${id} ${name}`).toString('base64url');
}

/** Throws CURSOR_INVALID. */
export function parseCursor(cursor: string): VersionPosition {
  const [, id = '', name = ''] =
    /^(\d{1,15}) ([\w./-]{1,200})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (name !== '') return { name, id: Number(id) };
  throw vpError('CURSOR_INVALID', {});
}

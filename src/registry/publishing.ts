/** Publishing, and saying what has become of what was published. Versions themselves never change. */
import type { RegistryStatusChange } from '../contract/registry-api.ts';
import { vpError } from '../errors/vp-error.ts';
import {
  addressesOfVersion,
  countRegistryVersions,
  insertRegistryVersion,
  markRegistryLatest,
  otherServerAt,
  type RegistryHeadRow,
  type RegistryVersionRow,
  registryVersion,
  setRegistryStatus,
  versionHeadsOfServer,
} from '../store/control/registry-versions.ts';
import type { Sql } from '../store/sql.ts';
import type { RegistryContext } from './context.ts';
import { belongsTo, reversed } from './domain.ts';
import { entryText } from './entry.ts';
import { demandToken } from './proving.ts';
import { unknownServer } from './reading.ts';
import { addressKeys, shownKey } from './remote-address.ts';
import { readDocument, type ServerDocument } from './server-document.ts';
import { newest } from './version-order.ts';

/** Writing calls; `token` is what a proof gave. Each throws REGISTRY_TOKEN_INVALID, REGISTRY_DOMAIN_CLOSED, REGISTRY_NAME_FOREIGN. */
export type RegistryPublishing = {
  /** The entry as JSON text. Throws REGISTRY_DOCUMENT_INVALID, REGISTRY_VERSION_EXISTS, REGISTRY_NAME_TAKEN, REGISTRY_URL_TAKEN, REGISTRY_FULL. */
  publish(token: string | undefined, document: unknown): Promise<string>;
  /** Of one version. Throws REGISTRY_SERVER_UNKNOWN, REGISTRY_STATUS_REFUSED, REGISTRY_URL_TAKEN. */
  setStatus(
    token: string | undefined,
    of: { name: string; version: string },
    to: RegistryStatusChange,
  ): Promise<string>;
  /** Of all versions, or of none. */
  setAllStatus(token: string | undefined, name: string, to: RegistryStatusChange): Promise<string>;
};

/** Throws REGISTRY_DOCUMENT_INVALID with all of its problems; it names the `file`, where it is one of several. */
export function demandDocument(value: unknown, file?: string): ServerDocument {
  const read = readDocument(value);
  if ('document' in read) return read.document;
  const [{ where, problem } = { where: '', problem: 'is none' }, ...rest] = read.problems;
  const more = rest.length > 0 ? ` (and ${rest.length} more)` : '';
  const within = file === undefined ? '' : `${file}: `;
  const values = { where: `${within}${where || 'the document'}`, problem: `${problem}${more}` };
  const diagnostics = read.problems.map((one) => ({ ...one, where: one.where || 'the document' }));
  throw vpError('REGISTRY_DOCUMENT_INVALID', values, { diagnostics });
}

/** Throws REGISTRY_NAME_FOREIGN. */
function demandName({ tell }: RegistryContext, name: string, domain: string): void {
  if (belongsTo(name, domain)) return;
  tell({ event: 'registry_name_refused', level: 'warn', domain, name: name.slice(0, 200) });
  throw vpError('REGISTRY_NAME_FOREIGN', { name: name.slice(0, 200), domain, namespace: reversed(domain) });
}

function demandFreeAddresses(sql: Sql, urls: readonly string[], name: string): void {
  for (const url of urls) {
    const other = otherServerAt(sql, url, name);
    if (other !== undefined) throw vpError('REGISTRY_URL_TAKEN', { url: shownKey(url).slice(0, 200), other });
  }
}

function demandRoom(sql: Sql, known: readonly RegistryHeadRow[], { settings }: RegistryContext): void {
  const { mostVersionsOfOne, mostVersions } = settings;
  if (known.length >= mostVersionsOfOne)
    throw vpError('REGISTRY_FULL', { most: mostVersionsOfOne, what: 'of this server' });
  if (countRegistryVersions(sql) >= mostVersions)
    throw vpError('REGISTRY_FULL', { most: mostVersions, what: 'in all' });
}

function add(sql: Sql, context: RegistryContext, document: ServerDocument, domain: string): RegistryVersionRow {
  const { name, version } = document;
  const known = versionHeadsOfServer(sql, name);
  const [first] = known;
  if (first && first.name !== name) throw vpError('REGISTRY_NAME_TAKEN', { name, known: first.name });
  if (known.some((row) => row.version === version)) throw vpError('REGISTRY_VERSION_EXISTS', { name, version });
  const urls = (document.remotes ?? []).flatMap(addressKeys);
  demandFreeAddresses(sql, urls, name);
  demandRoom(sql, known, context);
  const row = { name, version, document: JSON.stringify(document), published_by: domain };
  insertRegistryVersion(sql, row, { urls, nowMs: context.clock.nowMs() });
  return latestMarked(sql, name, version);
}

/** Marks whichever is the latest now; a deleted one only where there is no other. */
function latestMarked(sql: Sql, name: string, version: string): RegistryVersionRow {
  const all = versionHeadsOfServer(sql, name);
  const latest = newest(all.filter(({ status }) => status !== 'deleted')) ?? newest(all);
  if (latest && latest.is_latest !== 1) markRegistryLatest(sql, name, latest.id);
  const row = registryVersion(sql, name, version);
  if (row) return row;
  throw vpError('INTERNAL', {}, { detail: 'a version that was just written is not there' });
}

/** Changes what differs; false when nothing does. */
function change(
  sql: Sql,
  row: RegistryHeadRow,
  { status, statusMessage }: RegistryStatusChange,
  nowMs: number,
): boolean {
  const message = statusMessage ?? null;
  if (row.status === status && row.status_message === message) return false;
  // Since it was deleted its address may have come to belong to another server.
  if (row.status === 'deleted' && status !== 'deleted')
    demandFreeAddresses(sql, addressesOfVersion(sql, row.id), row.name);
  setRegistryStatus(sql, row.id, { status, message, nowMs });
  return true;
}

function demandChange({ status, statusMessage }: RegistryStatusChange): void {
  if (status === 'active' && statusMessage !== undefined)
    throw vpError('REGISTRY_STATUS_REFUSED', { problem: 'an active version has no message' });
  if (statusMessage !== undefined && /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/u.test(statusMessage))
    throw vpError('REGISTRY_STATUS_REFUSED', { problem: 'the message has characters in it that cannot be seen' });
}

function changed(sql: Sql, context: RegistryContext, rows: readonly RegistryHeadRow[], to: RegistryStatusChange) {
  const nowMs = context.clock.nowMs();
  const done = rows.filter((row) => change(sql, row, to, nowMs));
  if (done.length === 0) throw vpError('REGISTRY_STATUS_REFUSED', { problem: `the status is ${to.status} already` });
  return done.map(({ name, version }) => latestMarked(sql, name, version));
}

/** See {@link RegistryPublishing}. */
export function publishingOf(context: RegistryContext): RegistryPublishing {
  const { database, tell } = context;
  const told = (event: string, domain: string, name: string, version: string): void =>
    tell({ event, level: 'info', domain, name, version });
  const statusOf = async (
    token: string | undefined,
    name: string,
    version: string | undefined,
    to: RegistryStatusChange,
  ) => {
    const domain = await demandToken(context, token);
    demandName(context, name, domain);
    demandChange(to);
    const rows = await database.write((sql) => {
      const found = versionHeadsOfServer(sql, name).filter((row) => version === undefined || row.version === version);
      if (found.length === 0) throw unknownServer(name, version);
      return changed(sql, context, found, to);
    });
    told(`registry_version_${to.status}`, domain, name, version ?? 'all');
    return rows;
  };
  return {
    async publish(token, value) {
      const domain = await demandToken(context, token);
      const document = demandDocument(value);
      demandName(context, document.name, domain);
      const row = await database.write((sql) => add(sql, context, document, domain));
      told('registry_published', domain, row.name, row.version);
      return entryText(row);
    },
    async setStatus(token, { name, version }, to) {
      return (await statusOf(token, name, version, to)).map(entryText).join('');
    },
    async setAllStatus(token, name, to) {
      const rows = await statusOf(token, name, undefined, to);
      return `{"updatedCount":${rows.length},"servers":[${rows.map(entryText).join(',')}]}`;
    },
  };
}

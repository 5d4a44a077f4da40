/** Publishing versions and changing their status. Published documents never change. */
import type { UpdateRegistryStatusRequest } from '../../contract/registry/registry-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  countRegistryVersions,
  findOtherServerByUrl,
  findRegistryVersion,
  insertRegistryVersion,
  listServerVersionHeads,
  listVersionUrls,
  markRegistryLatest,
  type RegistryVersionHeadRow,
  type RegistryVersionRow,
  updateRegistryStatus,
} from '../../store/control/registry/versions.ts';
import type { Sql } from '../../store/sql.ts';
import type { RegistryContext } from '../context.ts';
import { isNameOfDomain, reverseDomain } from '../dns-proof/domain.ts';
import { requireTokenDomain } from '../dns-proof/domain-proof.ts';
import type { ServerDocument } from '../document/document-types.ts';
import { formatAddressKey, toAddressKeys } from '../document/remote-address.ts';
import { readServerDocument } from '../document/server-document.ts';
import { formatRegistryEntry } from './entry.ts';
import { createUnknownServerError } from './registry-reader.ts';
import { findNewestVersion } from './version-order.ts';

/** `token` comes from a domain proof. Each call throws REGISTRY_TOKEN_INVALID, REGISTRY_DOMAIN_CLOSED, REGISTRY_NAME_FOREIGN. */
export type RegistryWriter = {
  /** Returns the entry as JSON text. Throws REGISTRY_DOCUMENT_INVALID, REGISTRY_VERSION_EXISTS, REGISTRY_NAME_TAKEN, REGISTRY_URL_TAKEN, REGISTRY_FULL. */
  publish(token: string | undefined, document: unknown): Promise<string>;
  /** Changes one version. Throws REGISTRY_SERVER_UNKNOWN, REGISTRY_STATUS_REFUSED, REGISTRY_URL_TAKEN. */
  setStatus(
    token: string | undefined,
    target: { name: string; version: string },
    change: UpdateRegistryStatusRequest,
  ): Promise<string>;
  /** Changes all versions or none. */
  setAllStatus(token: string | undefined, name: string, change: UpdateRegistryStatusRequest): Promise<string>;
};

/** Throws REGISTRY_DOCUMENT_INVALID with all problems. `file` is named in the message when there are several. */
export function parseServerDocument(value: unknown, file?: string): ServerDocument {
  const result = readServerDocument(value);
  if ('document' in result) return result.document;
  const [{ where, problem } = { where: '', problem: 'is invalid' }, ...otherProblems] = result.problems;
  const more = otherProblems.length > 0 ? ` (and ${otherProblems.length} more)` : '';
  const filePrefix = file === undefined ? '' : `${file}: `;
  const values = { where: `${filePrefix}${where || 'the document'}`, problem: `${problem}${more}` };
  const diagnostics = result.problems.map((item) => ({ ...item, where: item.where || 'the document' }));
  throw vpError('REGISTRY_DOCUMENT_INVALID', values, { diagnostics });
}

/** Throws REGISTRY_NAME_FOREIGN. */
function assertNameAllowed({ logEvent }: RegistryContext, name: string, domain: string): void {
  if (isNameOfDomain(name, domain)) return;
  logEvent({ event: 'registry_name_refused', level: 'warn', domain, name: name.slice(0, 200) });
  throw vpError('REGISTRY_NAME_FOREIGN', { name: name.slice(0, 200), domain, namespace: reverseDomain(domain) });
}

function assertUrlsFree(sql: Sql, urls: readonly string[], name: string): void {
  for (const url of urls) {
    const other = findOtherServerByUrl(sql, url, name);
    if (other !== undefined) throw vpError('REGISTRY_URL_TAKEN', { url: formatAddressKey(url).slice(0, 200), other });
  }
}

function assertCapacity(sql: Sql, versions: readonly RegistryVersionHeadRow[], { settings }: RegistryContext): void {
  const { maxVersionsPerServer, maxVersions } = settings;
  if (versions.length >= maxVersionsPerServer)
    throw vpError('REGISTRY_FULL', { max: maxVersionsPerServer, scope: 'of this server' });
  if (countRegistryVersions(sql) >= maxVersions)
    throw vpError('REGISTRY_FULL', { max: maxVersions, scope: 'in total' });
}

function addVersion(sql: Sql, context: RegistryContext, document: ServerDocument, domain: string): RegistryVersionRow {
  const { name, version } = document;
  const versions = listServerVersionHeads(sql, name);
  const [first] = versions;
  if (first && first.name !== name) throw vpError('REGISTRY_NAME_TAKEN', { name, known: first.name });
  if (versions.some((row) => row.version === version)) throw vpError('REGISTRY_VERSION_EXISTS', { name, version });
  const urls = (document.remotes ?? []).flatMap(toAddressKeys);
  assertUrlsFree(sql, urls, name);
  assertCapacity(sql, versions, context);
  const row = { name, version, document: JSON.stringify(document), published_by: domain };
  insertRegistryVersion(sql, row, { urls, nowMs: context.clock.nowMs() });
  return refreshLatest(sql, name, version);
}

/** Marks the newest version as the latest; a deleted one only when all are deleted. */
function refreshLatest(sql: Sql, name: string, version: string): RegistryVersionRow {
  const all = listServerVersionHeads(sql, name);
  const latest = findNewestVersion(all.filter(({ status }) => status !== 'deleted')) ?? findNewestVersion(all);
  if (latest && latest.is_latest !== 1) markRegistryLatest(sql, name, latest.id);
  const row = findRegistryVersion(sql, name, version);
  if (row) return row;
  throw vpError('INTERNAL', {}, { detail: 'a version that was just written is not there' });
}

/** False when nothing changes. */
function applyChange(
  sql: Sql,
  row: RegistryVersionHeadRow,
  { status, statusMessage }: UpdateRegistryStatusRequest,
  nowMs: number,
): boolean {
  const message = statusMessage ?? null;
  if (row.status === status && row.status_message === message) return false;
  // Another server may have published this URL since the version was deleted.
  if (row.status === 'deleted' && status !== 'deleted') assertUrlsFree(sql, listVersionUrls(sql, row.id), row.name);
  updateRegistryStatus(sql, row.id, { status, message, nowMs });
  return true;
}

function assertValidChange({ status, statusMessage }: UpdateRegistryStatusRequest): void {
  if (status === 'active' && statusMessage !== undefined)
    throw vpError('REGISTRY_STATUS_REFUSED', { problem: 'an active version cannot have a message' });
  if (statusMessage !== undefined && /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/u.test(statusMessage))
    throw vpError('REGISTRY_STATUS_REFUSED', { problem: 'the message contains invisible characters' });
}

function applyChanges(
  sql: Sql,
  context: RegistryContext,
  rows: readonly RegistryVersionHeadRow[],
  change: UpdateRegistryStatusRequest,
) {
  const nowMs = context.clock.nowMs();
  const changedRows = rows.filter((row) => applyChange(sql, row, change, nowMs));
  if (changedRows.length === 0)
    throw vpError('REGISTRY_STATUS_REFUSED', { problem: `the status is already ${change.status}` });
  return changedRows.map(({ name, version }) => refreshLatest(sql, name, version));
}

export function createRegistryWriter(context: RegistryContext): RegistryWriter {
  const { database, logEvent } = context;
  const logPublished = (event: string, domain: string, name: string, version: string): void =>
    logEvent({ event, level: 'info', domain, name, version });
  const updateStatus = async (
    token: string | undefined,
    name: string,
    version: string | undefined,
    change: UpdateRegistryStatusRequest,
  ) => {
    const domain = await requireTokenDomain(context, token);
    assertNameAllowed(context, name, domain);
    assertValidChange(change);
    const rows = await database.write((sql) => {
      const matches = listServerVersionHeads(sql, name).filter(
        (row) => version === undefined || row.version === version,
      );
      if (matches.length === 0) throw createUnknownServerError(name, version);
      return applyChanges(sql, context, matches, change);
    });
    logPublished(`registry_version_${change.status}`, domain, name, version ?? 'all');
    return rows;
  };
  return {
    async publish(token, value) {
      const domain = await requireTokenDomain(context, token);
      const document = parseServerDocument(value);
      assertNameAllowed(context, document.name, domain);
      const row = await database.write((sql) => addVersion(sql, context, document, domain));
      logPublished('registry_published', domain, row.name, row.version);
      return formatRegistryEntry(row);
    },
    async setStatus(token, { name, version }, change) {
      return (await updateStatus(token, name, version, change)).map(formatRegistryEntry).join('');
    },
    async setAllStatus(token, name, change) {
      const rows = await updateStatus(token, name, undefined, change);
      return `{"updatedCount":${rows.length},"servers":[${rows.map(formatRegistryEntry).join(',')}]}`;
    },
  };
}

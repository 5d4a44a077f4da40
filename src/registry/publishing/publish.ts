/** Publishing to a registry: proves the domain, sends the document, and translates each refusal to an error with a fix. */
import { isDeepStrictEqual } from 'node:util';
import type { UpdateRegistryStatusRequest } from '../../contract/registry/registry-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { reverseDomain } from '../dns-proof/domain.ts';
import { parseProofRecords } from '../dns-proof/proof-record.ts';
import { abbreviateKey } from '../dns-proof/signature.ts';
import type { TextRecordLookup } from '../dns-proof/text-records.ts';
import type { ServerDocument } from '../document/document-types.ts';
import type { RegistryRefusal, RemoteRegistry } from './remote-registry.ts';
import type { DomainSigningKey } from './signing-key.ts';

export type PublisherContext = {
  readonly remote: RemoteRegistry;
  readonly key: DomainSigningKey;
  readonly lookUpTextRecords: TextRecordLookup;
  readonly clock: Pick<Clock, 'nowMs'>;
};

/** Whether a domain's TXT records contain a key: this one, only others, or none. */
export type PublishedKeys = {
  readonly state: 'this_key' | 'other_keys' | 'none';
  /** Texts of the records that look like key records. */
  readonly records: readonly string[];
  /** Abbreviated keys of the valid ones. */
  readonly keys: readonly string[];
};

/** Throws REGISTRY_DNS_FAILED. */
export async function findPublishedKeys(
  records: TextRecordLookup,
  domain: string,
  key: DomainSigningKey,
): Promise<PublishedKeys> {
  const parsedRecords = parseProofRecords(await records(domain));
  const keys = parsedRecords.flatMap((record) => record.key ?? []);
  const isKeyPublished = keys.some(({ algorithm, text }) => algorithm === key.algorithm && text === key.publicKey.text);
  const state = isKeyPublished ? 'this_key' : keys.length > 0 ? 'other_keys' : 'none';
  return { state, records: parsedRecords.map(({ text }) => text), keys: keys.map(abbreviateKey) };
}

/** The error for a key that is not in the domain's TXT records; undefined when it is. */
export function describeKeyProblem(
  { state, records, keys }: PublishedKeys,
  domain: string,
  registry: string,
): VpError | undefined {
  const registryOption = ` --registry ${registry}`;
  if (state === 'this_key') return undefined;
  if (state === 'other_keys')
    return vpError('REGISTRY_KEY_OTHER', { domain, keys: keys.join(', '), option: registryOption });
  const unreadable = records.length === 0 ? '' : `; ${records.length} look like one but are malformed`;
  return vpError('REGISTRY_RECORD_MISSING', { domain, malformed: unreadable, option: registryOption });
}

/** A registry of ours sends our own sentence, of which only the reason is kept. */
function extractReason({ code, message }: RegistryRefusal): string {
  return code.startsWith('REGISTRY_') ? message.replace(/^[^:]*: /, '') : message;
}

/** Refusals that any call may get. */
function toCommonError(
  { url }: RemoteRegistry,
  { status, message, retryAfterS }: RegistryRefusal,
): VpError | undefined {
  if (status === 429) return vpError('REGISTRY_LIMITED', { registry: url, retry_after_s: retryAfterS });
  if (status >= 500 && status !== 501) return vpError('REGISTRY_FAULT', { registry: url, status, problem: message });
  if ([404, 405, 501].includes(status))
    return vpError('REGISTRY_ANSWER_UNEXPECTED', { registry: url, problem: `status ${status}, ${message}` });
  return undefined;
}

async function toProofError(
  { remote, key, lookUpTextRecords: records }: PublisherContext,
  domain: string,
  refusal: RegistryRefusal,
): Promise<VpError> {
  const { status, code, message } = refusal;
  const commonError = toCommonError(remote, refusal);
  if (commonError) return commonError;
  if (code === 'REGISTRY_DOMAIN_CLOSED' || status === 403) return vpError('REGISTRY_DOMAIN_CLOSED', { domain });
  if (code === 'REGISTRY_TIMESTAMP_REFUSED' || /timestamp/i.test(message))
    return vpError('REGISTRY_TIMESTAMP_REFUSED', { problem: extractReason(refusal) });
  // A registry of ours says which keys it sees; the name servers here may answer differently.
  if (code === 'REGISTRY_KEY_OTHER')
    return vpError(code, { domain, keys: extractReason(refusal), option: ` --registry ${remote.url}` });
  // Other registries have other messages, so the cause is found in the domain's TXT records.
  const publishedKeys = await findPublishedKeys(records, domain, key).catch(() => undefined);
  return (
    (publishedKeys && describeKeyProblem(publishedKeys, domain, remote.url)) ??
    vpError('REGISTRY_PROOF_REFUSED', { registry: remote.url, domain, problem: message })
  );
}

function toDocumentError(
  { remote }: PublisherContext,
  domain: string,
  { name }: ServerDocument,
  refusal: RegistryRefusal,
): VpError {
  const { status, code, message } = refusal;
  const commonError = toCommonError(remote, refusal);
  if (commonError) return commonError;
  if (code === 'REGISTRY_DOMAIN_CLOSED') return vpError('REGISTRY_DOMAIN_CLOSED', { domain });
  if (status === 403) return vpError('REGISTRY_NAME_FOREIGN', { name, domain, namespace: reverseDomain(domain) });
  return vpError('REGISTRY_DOCUMENT_REFUSED', { registry: remote.url, name, problem: message });
}

/** Returns a token for the domain. Throws the registry's refusal as an error of ours. */
export async function proveDomain(publisher: PublisherContext, domain: string): Promise<string> {
  const { remote, key, clock } = publisher;
  const timestamp = new Date(clock.nowMs()).toISOString();
  const result = await remote.exchange({ domain, timestamp, signed_timestamp: key.sign(timestamp) });
  if (result.refusal) throw await toProofError(publisher, domain, result.refusal);
  return result.value;
}

/**
 * Whether the registry already has exactly this document, as after a lost response. Throws REGISTRY_VERSION_EXISTS when it has
 * another document for this version.
 */
export async function isPublished(
  { remote }: Pick<PublisherContext, 'remote'>,
  document: ServerDocument,
): Promise<boolean> {
  const { name, version } = document;
  const stored = await remote.find(name, version);
  if (stored === undefined) return false;
  if (isDeepStrictEqual(stored, JSON.parse(JSON.stringify(document)))) return true;
  throw vpError('REGISTRY_VERSION_EXISTS', { name, version });
}

/** Sends a document; false when the registry already had it. Throws the registry's refusal as an error of ours. */
export async function publishDocument(
  publisher: PublisherContext,
  { token, domain, document }: { readonly token: string; readonly domain: string; readonly document: ServerDocument },
): Promise<boolean> {
  const { refusal } = await publisher.remote.publish(token, document);
  if (!refusal) return true;
  const mayExist = refusal.status === 400 || refusal.status === 409;
  if (mayExist && (await isPublished(publisher, document))) return false;
  throw toDocumentError(publisher, domain, document, refusal);
}

/** Changes the status of a version, or of all. Throws the registry's refusal as an error of ours. */
export async function changeVersionStatus(
  { remote }: PublisherContext,
  { token, domain, name, version }: { token: string; domain: string; name: string; version: string | undefined },
  change: UpdateRegistryStatusRequest,
): Promise<void> {
  const { refusal } = await remote.setStatus(token, { name, version }, change);
  if (!refusal) return;
  const server = version === undefined ? name : `${name} in version ${version}`;
  // Here 404 means an unknown server, not a wrong registry URL.
  if (refusal.status === 404) throw vpError('REGISTRY_SERVER_UNKNOWN', { server });
  throw (
    toCommonError(remote, refusal) ??
    (refusal.status === 403
      ? vpError('REGISTRY_NAME_FOREIGN', { name, domain, namespace: reverseDomain(domain) })
      : vpError('REGISTRY_STATUS_REFUSED', { problem: extractReason(refusal) }))
  );
}

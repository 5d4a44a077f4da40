/** Publishing to a registry: prove the domain, send the document, and say of each refusal what it means and what helps. */
import { isDeepStrictEqual } from 'node:util';
import type { RegistryStatusChange } from '../contract/registry-api.ts';
import type { Clock } from '../environment/clock.ts';
import { type VpError, vpError } from '../errors/vp-error.ts';
import { reversed } from './domain.ts';
import { proofRecords } from './proof-record.ts';
import type { Refusal, RemoteRegistry } from './remote.ts';
import type { ServerDocument } from './server-document.ts';
import { shortKey } from './signature.ts';
import type { SigningKey } from './signing-key.ts';
import type { TextRecords } from './text-records.ts';

/** What publishing works with. */
export type PublisherParts = {
  readonly remote: RemoteRegistry;
  readonly key: SigningKey;
  readonly records: TextRecords;
  readonly clock: Pick<Clock, 'nowMs'>;
};

/** What the TXT records of a domain say of a key: that it is shown, that only others are, or that none is. */
export type Shown = {
  readonly state: 'this_key' | 'other_keys' | 'none';
  /** Texts of the records that want to be proofs. */
  readonly records: readonly string[];
  /** The keys among them. */
  readonly keys: readonly string[];
};

/** Looks. Throws REGISTRY_DNS_FAILED. */
export async function shownKeys(records: TextRecords, domain: string, key: SigningKey): Promise<Shown> {
  const found = proofRecords(await records(domain));
  const keys = found.flatMap((one) => one.key ?? []);
  const isShown = keys.some(({ algorithm, text }) => algorithm === key.algorithm && text === key.publicKey.text);
  const state = isShown ? 'this_key' : keys.length > 0 ? 'other_keys' : 'none';
  return { state, records: found.map(({ text }) => text), keys: keys.map(shortKey) };
}

/** Why a key for `registry` that is not shown proves nothing; undefined where it is shown. */
export function problemOf({ state, records, keys }: Shown, domain: string, registry: string): VpError | undefined {
  const at = ` --registry ${registry}`;
  if (state === 'this_key') return undefined;
  if (state === 'other_keys') return vpError('REGISTRY_KEY_OTHER', { domain, keys: keys.join(', '), at });
  const found = records.length === 0 ? '' : `; ${records.length} that want to be one cannot be read`;
  return vpError('REGISTRY_RECORD_MISSING', { domain, found, at });
}

/** Of a registry of our kind the sentence is ours too, so that its reason alone is taken over. */
function reasonIn({ code, words }: Refusal): string {
  return code.startsWith('REGISTRY_') ? words.replace(/^[^:]*: /, '') : words;
}

/** What any call may be refused with. */
function usualProblem({ url }: RemoteRegistry, { status, words, retryAfterS }: Refusal): VpError | undefined {
  if (status === 429) return vpError('REGISTRY_LIMITED', { registry: url, retry_after_s: retryAfterS });
  if (status >= 500 && status !== 501) return vpError('REGISTRY_FAULT', { registry: url, status, problem: words });
  if ([404, 405, 501].includes(status))
    return vpError('REGISTRY_ANSWER_UNEXPECTED', { registry: url, problem: `status ${status}, ${words}` });
  return undefined;
}

async function proofProblem(
  { remote, key, records }: PublisherParts,
  domain: string,
  refusal: Refusal,
): Promise<VpError> {
  const { status, code, words } = refusal;
  const usual = usualProblem(remote, refusal);
  if (usual) return usual;
  if (code === 'REGISTRY_DOMAIN_CLOSED' || status === 403) return vpError('REGISTRY_DOMAIN_CLOSED', { domain });
  if (code === 'REGISTRY_TIMESTAMP_REFUSED' || /timestamp/i.test(words))
    return vpError('REGISTRY_TIMESTAMP_REFUSED', { problem: reasonIn(refusal) });
  // A registry of our kind says which keys it sees, whatever the name servers here say.
  if (code === 'REGISTRY_KEY_OTHER')
    return vpError(code, { domain, keys: reasonIn(refusal), at: ` --registry ${remote.url}` });
  // The words of others differ; what the domain shows does not.
  const shown = await shownKeys(records, domain, key).catch(() => undefined);
  return (
    (shown && problemOf(shown, domain, remote.url)) ??
    vpError('REGISTRY_PROOF_REFUSED', { registry: remote.url, domain, problem: words })
  );
}

function documentProblem(
  { remote }: PublisherParts,
  domain: string,
  { name }: ServerDocument,
  refusal: Refusal,
): VpError {
  const { status, code, words } = refusal;
  const usual = usualProblem(remote, refusal);
  if (usual) return usual;
  if (code === 'REGISTRY_DOMAIN_CLOSED') return vpError('REGISTRY_DOMAIN_CLOSED', { domain });
  if (status === 403) return vpError('REGISTRY_NAME_FOREIGN', { name, domain, namespace: reversed(domain) });
  return vpError('REGISTRY_DOCUMENT_REFUSED', { registry: remote.url, name, problem: words });
}

/** A token for the domain. Throws what the registry refused with, in our words. */
export async function proveTo(parts: PublisherParts, domain: string): Promise<string> {
  const { remote, key, clock } = parts;
  const timestamp = new Date(clock.nowMs()).toISOString();
  const told = await remote.exchange({ domain, timestamp, signed_timestamp: key.sign(timestamp) });
  if (told.refusal) throw await proofProblem(parts, domain, told.refusal);
  return told.value;
}

/**
 * Whether the registry has this very document already, as after an answer that was lost on the way. Throws
 * REGISTRY_VERSION_EXISTS when what it has under that version is another one.
 */
export async function isPublished(
  { remote }: Pick<PublisherParts, 'remote'>,
  document: ServerDocument,
): Promise<boolean> {
  const { name, version } = document;
  const found = await remote.find(name, version);
  if (found === undefined) return false;
  if (isDeepStrictEqual(found, JSON.parse(JSON.stringify(document)))) return true;
  throw vpError('REGISTRY_VERSION_EXISTS', { name, version });
}

/** Sends a document; false when it was there already. Throws what the registry refused with, in our words. */
export async function publishTo(
  parts: PublisherParts,
  { token, domain, document }: { readonly token: string; readonly domain: string; readonly document: ServerDocument },
): Promise<boolean> {
  const { refusal } = await parts.remote.publish(token, document);
  if (!refusal) return true;
  const mayBeThere = refusal.status === 400 || refusal.status === 409;
  if (mayBeThere && (await isPublished(parts, document))) return false;
  throw documentProblem(parts, domain, document, refusal);
}

/** Says what became of a version, or of all. Throws what the registry refused with, in our words. */
export async function setStatusAt(
  { remote }: PublisherParts,
  { token, domain, name, version }: { token: string; domain: string; name: string; version: string | undefined },
  to: RegistryStatusChange,
): Promise<void> {
  const { refusal } = await remote.setStatus(token, { name, version }, to);
  if (!refusal) return;
  const server = version === undefined ? name : `${name} in version ${version}`;
  // Where there is no such server the address is right all the same.
  if (refusal.status === 404) throw vpError('REGISTRY_SERVER_UNKNOWN', { server });
  throw (
    usualProblem(remote, refusal) ??
    (refusal.status === 403
      ? vpError('REGISTRY_NAME_FOREIGN', { name, domain, namespace: reversed(domain) })
      : vpError('REGISTRY_STATUS_REFUSED', { problem: reasonIn(refusal) }))
  );
}

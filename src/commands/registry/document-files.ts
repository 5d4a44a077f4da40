/** Reads server.json from files or standard input, and finds the domain of its name. */
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../environment/environment.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { readTextStart } from '../../files/read-text-start.ts';
import { getNamespace, isNameOfDomain, parseDomain, reverseDomain } from '../../registry/dns-proof/domain.ts';
import type { ServerDocument } from '../../registry/document/document-types.ts';
import { parseServerDocument } from '../../registry/serving/registry-writer.ts';

const maxBytes = 1_000_000;

function createUnreadableError(file: string, problem: string): VpError {
  return vpError('REGISTRY_FILE_UNREADABLE', { file, problem });
}

const reasonsByCode: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'the file does not exist'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'permission denied'],
]);

function describeError(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  return reasonsByCode.get(code) ?? String(code);
}

async function readText(name: string, { cwd, streams }: Pick<Environment, 'cwd' | 'streams'>): Promise<string> {
  if (name === '-') return text(streams.stdin);
  const file = resolve(cwd, name);
  try {
    const json = readTextStart(file, maxBytes + 1);
    if (Buffer.byteLength(json) > maxBytes) throw createUnreadableError(name, 'it is too large');
    return json;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw createUnreadableError(name, describeError(error));
    throw error;
  }
}

/** `-` reads standard input. Throws REGISTRY_FILE_UNREADABLE, REGISTRY_DOCUMENT_INVALID. */
export async function readDocumentFile(name: string, environment: Environment): Promise<ServerDocument> {
  const json = await readText(name, environment);
  if (json.trim() === '') throw createUnreadableError(name, 'it is empty, as after a command that failed');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw createUnreadableError(name, 'it is not JSON');
  }
  return parseServerDocument(value, name === '-' ? undefined : name);
}

/** The domain of a name, or `explicitDomain` if that is a parent of it. Throws REGISTRY_NAME_FOREIGN, REGISTRY_DOMAIN_INVALID. */
export function resolveDomain(server: string, explicitDomain: string | undefined): string {
  const text = explicitDomain ?? reverseDomain(getNamespace(server));
  const domain = parseDomain(text);
  if (domain === undefined) throw vpError('REGISTRY_DOMAIN_INVALID', { domain: text });
  if (isNameOfDomain(server, domain)) return domain;
  throw vpError('REGISTRY_NAME_FOREIGN', { name: server, domain, namespace: reverseDomain(domain) });
}

/** server.json as files, or from standard input, and the domain that its name belongs to. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../environment/environment.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { belongsTo, domainOf, namespaceOf, reversed } from '../../registry/domain.ts';
import { demandDocument } from '../../registry/publishing.ts';
import type { ServerDocument } from '../../registry/server-document.ts';

const mostBytes = 1_000_000;

function unreadable(file: string, problem: string): VpError {
  return vpError('REGISTRY_FILE_UNREADABLE', { file, problem });
}

const faults: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'it may not be read'],
]);

function faultOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  return faults.get(code) ?? String(code);
}

async function textOf(name: string, { cwd, streams }: Pick<Environment, 'cwd' | 'streams'>): Promise<string> {
  if (name === '-') return text(streams.stdin);
  const file = resolve(cwd, name);
  try {
    if (statSync(file).size > mostBytes) throw unreadable(name, 'it is too large for one');
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(name, faultOf(error));
    throw error;
  }
}

/** The document in a file, `-` for standard input. Throws REGISTRY_FILE_UNREADABLE, REGISTRY_DOCUMENT_INVALID. */
export async function readDocumentFile(name: string, environment: Environment): Promise<ServerDocument> {
  const json = await textOf(name, environment);
  if (json.trim() === '') throw unreadable(name, 'it is empty, as after a command that failed');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw unreadable(name, 'it is no JSON');
  }
  return demandDocument(value, name === '-' ? undefined : name);
}

/** The domain of a name, or `named` where it is above. Throws REGISTRY_NAME_FOREIGN, REGISTRY_DOMAIN_INVALID. */
export function domainOfName(server: string, named: string | undefined): string {
  const text = named ?? reversed(namespaceOf(server));
  const domain = domainOf(text);
  if (domain === undefined) throw vpError('REGISTRY_DOMAIN_INVALID', { domain: text });
  if (belongsTo(server, domain)) return domain;
  throw vpError('REGISTRY_NAME_FOREIGN', { name: server, domain, namespace: reversed(domain) });
}

/** server.json as files, or from standard input. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../environment/environment.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { demandDocument } from '../../registry/publishing.ts';
import type { ServerDocument } from '../../registry/server-document.ts';

const mostBytes = 1_000_000;

function unreadable(file: string, problem: string): VpError {
  return vpError('REGISTRY_FILE_UNREADABLE', { file, problem });
}

async function textOf(name: string, { cwd, streams }: Pick<Environment, 'cwd' | 'streams'>): Promise<string> {
  if (name === '-') return text(streams.stdin);
  const file = resolve(cwd, name);
  try {
    if (statSync(file).size > mostBytes) throw unreadable(name, 'it is too large for one');
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(name, 'code' in error ? String(error.code) : '');
    throw error;
  }
}

/** The document in a file, `-` for standard input. Throws REGISTRY_FILE_UNREADABLE, REGISTRY_DOCUMENT_INVALID. */
export async function readDocumentFile(name: string, environment: Environment): Promise<ServerDocument> {
  const json = await textOf(name, environment);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw unreadable(name, 'it is no JSON');
  }
  return demandDocument(value);
}

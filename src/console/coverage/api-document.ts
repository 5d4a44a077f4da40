/** The OpenAPI document of an environment: chosen by a person, read and stored in this browser, and sent nowhere. */
import { vpError } from '../../errors/vp-error.ts';
import { type OpenApiDocument, parseDocumentText, readOpenApi } from '../../import/openapi/document.ts';
import { nowMs, readStorage, tryWriteStorage } from '../browser.ts';

export type ChosenDocument = {
  readonly name: string;
  readonly text: string;
  readonly chosenAtMs: number;
  /** False where the browser has no room for it: it is gone after a reload. */
  readonly isStored: boolean;
};

function formatKey(account: string, instance: string): string {
  return ['vp.api-document', account, instance].map(encodeURIComponent).join('/');
}

export function readStoredDocument(account: string, instance: string): ChosenDocument | undefined {
  const json = readStorage(formatKey(account, instance));
  if (json === undefined) return undefined;
  try {
    const { name, text, chosenAtMs }: Partial<ChosenDocument> = JSON.parse(json);
    const isDocument = typeof name === 'string' && typeof text === 'string' && typeof chosenAtMs === 'number';
    return isDocument ? { name, text, chosenAtMs, isStored: true } : undefined;
  } catch {
    return undefined;
  }
}

export function storeDocument(account: string, instance: string, name: string, text: string): ChosenDocument {
  const key = formatKey(account, instance);
  const document = { name, text, chosenAtMs: nowMs() };
  const isStored = tryWriteStorage(key, JSON.stringify(document));
  // An earlier document must not come back after a reload.
  if (!isStored) tryWriteStorage(key, undefined);
  return { ...document, isStored };
}

/** Throws COVERAGE_DOCUMENT_INVALID with what is wrong. */
export async function parseCoverageDocument(name: string, text: string): Promise<OpenApiDocument> {
  const root = await parseDocumentText({ name, text });
  if (root === undefined) throw vpError('COVERAGE_DOCUMENT_INVALID', { name, problem: 'it is neither JSON nor YAML' });
  const document = readOpenApi(root);
  if (!document)
    throw vpError('COVERAGE_DOCUMENT_INVALID', { name, problem: 'it is not an OpenAPI document of version 2 or 3' });
  if (document.operations.length === 0)
    throw vpError('COVERAGE_DOCUMENT_INVALID', { name, problem: 'it has no operations' });
  return document;
}

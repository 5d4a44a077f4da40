/**
 * Reads the files that a scenario uses. Only files within the folder of the scenarios are read, and none whose path has a name that
 * begins with a dot: what a scenario uses leaves the machine with it. Texts are Markdown, CSV, JSON, YAML and `.proto` files; a multipart
 * body sends any file.
 */
import { isUtf8 } from 'node:buffer';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { createOpenApiReducer, type ReduceOpenApi } from '../../check/open-api/reduce-document.ts';
import { convertYamlToJson } from '../../import/yaml-document.ts';
import type { ReadUploadFile, ReadUsedFile } from '../../scenario/embedded-files.ts';
import { maxUploadBytes } from '../../scenario/uploads.ts';

/** OpenAPI documents are reduced to what the scenario sends; other files must fit into the text of a scenario. */
const maxBytes = 32 * 1024 * 1024;
const extensions = /\.(?:md|csv|json|ya?ml|proto)$/i;

/** The documents that several scenarios use, each read once. */
export type UsedDocuments = {
  readonly reduce: ReduceOpenApi;
  /** By path; the size and time of the file tell when it has changed. */
  readonly texts: Map<string, { readonly version: string; readonly text: string | undefined }>;
};

export function createUsedDocuments(): UsedDocuments {
  return { reduce: createOpenApiReducer(), texts: new Map() };
}

/** Smaller files are read again as fast as they are found here. */
const minDocumentBytes = 65_536;

/** A schema or document in YAML as JSON, which is what is judged by. What is not YAML stays as it is, and is reported as that. */
function readDocument(path: string, { texts }: UsedDocuments): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  const isYaml = /\.ya?ml$/i.test(path);
  if (stats === undefined || (!isYaml && stats.size < minDocumentBytes)) return readText(path);
  const version = `${stats.size} ${stats.mtimeMs}`;
  const known = texts.get(path);
  if (known?.version === version) return known.text;
  const text = readText(path);
  const json = text !== undefined && isYaml ? (convertYamlToJson(text) ?? text) : text;
  texts.set(path, { version, text: json });
  return json;
}

/** Undefined for what is no readable text. */
function readText(path: string): string | undefined {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    const bytes = readFileSync(path);
    return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** True where the file is below `root`, symbolic links followed. */
export function isBelowFolder(root: string, path: string): boolean {
  try {
    const below = relative(realpathSync(root), realpathSync(path));
    return below !== '' && !below.split(sep).some((name) => name.startsWith('.') || name === 'node_modules');
  } catch {
    return false;
  }
}

type ListMarkdownFiles = (folder: string, path: string, onError: () => void) => string[];

function indexById(root: string, list: ListMarkdownFiles): Map<string, string> {
  const byId = new Map<string, string>();
  for (const name of list(root, root, () => {})) {
    const text = isBelowFolder(root, join(root, name)) ? readText(join(root, name)) : undefined;
    const id = text && /^\s*[-*+]\W+ID\W+([\w.-]+)/im.exec(text)?.[1];
    if (text !== undefined && id && !byId.has(id)) byId.set(id, text);
  }
  return byId;
}

/**
 * For the scenario at `absolute`. `root` is the folder that scenarios were looked for in; for a file that was named it is the
 * current folder, or the folder of the file where that is elsewhere.
 */
export function createUsedFileReader(
  absolute: string,
  root: string | undefined,
  cwd: string,
  list: ListMarkdownFiles,
  documents: UsedDocuments,
): ReadUsedFile {
  const folder = dirname(absolute);
  const within = getBoundary(absolute, root, cwd);
  let byId: Map<string, string> | undefined;
  return (name) => {
    if (!extensions.test(name)) {
      byId ??= indexById(root ?? folder, list);
      return byId.get(name);
    }
    const path = resolve(folder, name);
    return isBelowFolder(within, path) ? readDocument(path, documents) : undefined;
  };
}

/** The folder that no file may be outside of. */
function getBoundary(absolute: string, root: string | undefined, cwd: string): string {
  return root ?? (absolute.startsWith(cwd + sep) ? cwd : dirname(absolute));
}

/** For the scenario at `absolute`, like {@link createUsedFileReader}. */
export function createUploadReader(absolute: string, root: string | undefined, cwd: string): ReadUploadFile {
  const within = getBoundary(absolute, root, cwd);
  return (name) => {
    const path = resolve(dirname(absolute), name);
    if (!isBelowFolder(within, path)) return undefined;
    try {
      const stats = statSync(path);
      if (!stats.isFile()) return undefined;
      return stats.size > maxUploadBytes
        ? { sizeBytes: stats.size }
        : { base64: readFileSync(path).toString('base64') };
    } catch {
      return undefined;
    }
  };
}

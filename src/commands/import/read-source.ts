/** Reads what an import is made of: files, folders of them, or standard input. */
import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';
import type { SourceFile } from '../../import/imported.ts';

const maxBytes = 64 * 1024 * 1024;
const maxFiles = 5000;

/** `folder` is the one that `name` is relative to; undefined for standard input. */
export type ReadSource = SourceFile & { readonly folder: string | undefined };

/** `extension`: of the files of a folder. Throws IMPORT_SOURCE_MISSING, IMPORT_SOURCE_UNREADABLE, IMPORT_FOLDER_EMPTY. */
export async function readImportSource(
  paths: readonly string[],
  { format, extension }: { readonly format: string; readonly extension: RegExp },
  { cwd, streams }: Pick<Environment, 'cwd' | 'streams'>,
): Promise<readonly ReadSource[]> {
  const files: ReadSource[] = [];
  for (const path of paths) {
    if (path === '-') {
      files.push({ name: 'standard input', text: await readText(streams.stdin), folder: undefined });
      continue;
    }
    const absolute = resolve(cwd, path);
    const stats = statSync(absolute, { throwIfNoEntry: false });
    if (!stats) throw vpError('IMPORT_SOURCE_MISSING', { path });
    if (!stats.isDirectory())
      files.push({ name: basename(path), text: readFile(absolute, path), folder: dirname(absolute) });
    else {
      const names = listFiles(absolute, path, extension);
      if (names.length === 0) throw vpError('IMPORT_FOLDER_EMPTY', { path, format });
      files.push(
        ...names.map((name) => ({
          name,
          text: readFile(resolve(absolute, name), `${path}/${name}`),
          folder: absolute,
        })),
      );
    }
  }
  return files;
}

/** Paths below the folder, with `/`; folders of tools are skipped. */
function listFiles(folder: string, path: string, extension: RegExp): readonly string[] {
  const names: string[] = [];
  const visit = (below: string): void => {
    for (const entry of readFolder(resolve(folder, below), path)) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) visit(name);
      else if (extension.test(entry.name) && names.length < maxFiles) names.push(name);
    }
  };
  visit('');
  return names.sort();
}

function readFolder(folder: string, path: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw vpError('IMPORT_SOURCE_UNREADABLE', { path, problem: getSystemErrorCode(error) ?? String(error) });
  }
}

function readFile(absolute: string, path: string): string {
  const refuse = (problem: string) => vpError('IMPORT_SOURCE_UNREADABLE', { path, problem });
  try {
    if (statSync(absolute).size > maxBytes) throw refuse('it has more than 64 MB');
    const bytes = readFileSync(absolute);
    if (!isUtf8(bytes)) throw refuse('it is not UTF-8');
    return bytes.toString('utf8');
  } catch (error) {
    const code = getSystemErrorCode(error);
    throw code === undefined ? error : refuse(code);
  }
}

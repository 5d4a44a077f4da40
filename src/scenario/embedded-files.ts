/**
 * `## FILES`: the files that a scenario uses, each below a heading `### <name>` in a fence. Authors do not write it: it is added
 * where a file of the test folder is read, so that a text of the catalogue and of a run is complete and never changes by itself.
 * Files that are sent as they are have the name `@<name>`, and their bytes in Base64.
 */
import { findCheckFile } from '../check/forms/file-form.ts';
import type { DocumentRequest } from '../check/open-api/document.ts';
import { type ReduceOpenApi, reduceOpenApi } from '../check/open-api/reduce-document.ts';
import { type Block, readBlocks } from './blocks.ts';
import { parseBullet, stripCodeMarks } from './bullet.ts';
import { readOutline, type Section } from './outline.ts';
import { collectProtoFiles, listProtoNames } from './proto-files.ts';
import { readSource, type SourceLine, type SourceText } from './source.ts';
import { formatUpload, listUploadPaths, readUpload, toUploadName, type UploadFile } from './uploads.ts';

/** `lines` have their positions in the whole text. */
export type EmbeddedFile = { readonly name: string; readonly info: string; readonly lines: readonly SourceLine[] };
export type EmbeddedFiles = ReadonlyMap<string, EmbeddedFile>;

/** How deep scenarios may use others. */
export const maxUseDepth = 5;

const unreported = (): void => {};

export function getFileText({ lines }: EmbeddedFile): string {
  return lines.map(({ text }) => text).join('\n');
}

/** The first fence below each heading. The first of two files of one name counts. */
export function readFiles(section: Section | undefined): EmbeddedFiles {
  const files = new Map<string, EmbeddedFile>();
  let name: string | undefined;
  for (const block of section?.blocks ?? []) {
    if (block.kind === 'heading') name = block.name.text;
    if (block.kind !== 'fence' || name === undefined) continue;
    const [opening] = block.lines;
    const lines = block.content.map(
      ({ text, start }, index): SourceLine => ({
        ...{ text, start, end: start + text.length },
        number: opening.number + 1 + index,
      }),
    );
    if (!files.has(name)) files.set(name, { name, info: block.info, lines });
    name = undefined;
  }
  return files;
}

/** The name of the file that a line of the text belongs to. */
export function findFileAt(files: EmbeddedFiles, line: number): string | undefined {
  for (const { name, lines } of files.values()) {
    const first = lines[0]?.number ?? Number.POSITIVE_INFINITY;
    if (line >= first && line < first + lines.length) return name;
  }
  return undefined;
}

/** The sections of a used scenario, with positions in the whole text. */
export function readUsedSections(file: EmbeddedFile, source: SourceText): readonly Section[] {
  return readOutline(readBlocks({ text: source.text, lines: file.lines }, unreported), unreported).sections;
}

/** The names of the files that a line `use: a.md` or `from: a.csv` asks for. */
export function readReference({ kind, lines: [line] }: Block, word: 'use' | 'from') {
  const match = kind === 'text' ? /^(\s*(use|from):\s*)(\S.*?)\s*$/.exec(line.text) : null;
  if (match === null || match[2] !== word) return undefined;
  const name = match[3] ?? '';
  const start = line.start + (match[1]?.length ?? 0);
  return { name, start, end: start + name.length };
}

/**
 * The name of a file relative to the scenario that is run. `base` is the name of the file that names it, empty for that scenario
 * itself.
 */
export function resolveName(name: string, base: string): string {
  const parts = base.split('/').slice(0, -1);
  for (const part of name.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

type References = Readonly<Record<'uses' | 'cases' | 'checked' | 'uploads' | 'protos', readonly string[]>>;

function listReferences(text: string): References {
  const { sections } = readOutline(readBlocks(readSource(text), unreported), unreported);
  const list = (section: string, word: 'use' | 'from'): string[] =>
    (sections.find(({ definition }) => definition.name === section)?.blocks ?? []).flatMap(
      (block) => readReference(block, word)?.name ?? [],
    );
  const checked = sections
    .filter(({ definition: { name } }) => name === 'STEPS' || name === 'Runnable' || name === 'CLEANUP')
    .flatMap(({ blocks }) => blocks)
    .flatMap(({ kind, lines: [line] }) => {
      const bullet = kind === 'text' ? parseBullet(line) : undefined;
      return (bullet && findCheckFile(stripCodeMarks(bullet).text)) ?? [];
    });
  const requests = sections
    .filter(({ definition: { name } }) => name === 'STEPS' || name === 'TRIGGER' || name === 'CLEANUP')
    .map(({ blocks }) => blocks);
  const uploads = requests.flatMap(listUploadPaths);
  const protos = requests.flatMap(listProtoNames);
  return { uses: list('STEPS', 'use'), cases: list('CASES', 'from'), checked, uploads, protos };
}

/** Where `## FILES` begins; undefined without it. */
function findFilesStart(text: string): number | undefined {
  const { sections } = readOutline(readBlocks(readSource(text), unreported), unreported);
  return sections.find(({ definition }) => definition.name === 'FILES')?.heading.lines[0].start;
}

/** The text as its author wrote it. */
export function removeFiles(text: string): string {
  const start = text.includes('FILES') ? findFilesStart(text) : undefined;
  return start === undefined ? text : `${text.slice(0, start).trimEnd()}\n`;
}

function writeFile(name: string, content: string): string {
  const text = content
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replace(/\n+$/, '');
  const longest = Math.max(2, ...Array.from(text.matchAll(/~{3,}/g), ([marks]) => marks.length));
  const fence = '~'.repeat(longest + 1);
  return `### ${name}\n\n${fence}\n${text}\n${fence}`;
}

/** The request lines of a text, of all its requests. */
function listRequests(text: string): DocumentRequest[] {
  const lines = text.matchAll(/^\s*([A-Z]+)\s+\$\{INGESTION_URL\}(\/\S*)/gm);
  return Array.from(lines, ([, method = '', path = '']) => ({ method, path }));
}

/** The content of a file by its name relative to the scenario, or of a scenario by its ID; undefined where there is none. */
export type ReadUsedFile = (name: string) => string | undefined;

/** A file that is sent as it is, by its name relative to the scenario; undefined where there is none. */
export type ReadUploadFile = (name: string) => UploadFile | undefined;

/** Without a file that a text of this form names, there is nothing to embed. */
const namesFile =
  /^\s*(?:use|from|proto):|\bbody\s+(?:matches\s+schema|equals\s+file)\s|^ {0,3}(?:`{3,}|~{3,})[ \t]*multipart/im;

/**
 * Adds every file that the scenario uses, and those that these use; a file that cannot be read stays as the text has it. The text
 * is unchanged where it uses none. `reduce` may know the document of an earlier text.
 */
export function embedFiles(
  text: string,
  readFile: ReadUsedFile,
  readUploadFile?: ReadUploadFile,
  reduce: ReduceOpenApi = reduceOpenApi,
): string {
  if (!namesFile.test(text)) return text;
  const own = removeFiles(text);
  const earlier = readFiles(
    readOutline(readBlocks(readSource(text), unreported), unreported).sections.find(
      ({ definition }) => definition.name === 'FILES',
    ),
  );
  const requests: DocumentRequest[] = listRequests(own);
  const contents = new Map<string, string>();
  const add = (name: string, toOwnText = (content: string): string => content): string | undefined => {
    if (contents.has(name)) return undefined;
    const file = earlier.get(name);
    const content = readFile(name) ?? (file && getFileText(file));
    if (content !== undefined) contents.set(name, toOwnText(content));
    return contents.get(name);
  };
  // A file may be imported by several others.
  const readProto = (path: string): string | undefined => {
    const name = resolveName(path, '');
    return contents.get(name) ?? add(name);
  };
  const uploads = new Map<string, string>();
  const addUpload = (path: string): void => {
    const name = toUploadName(path);
    const file = earlier.get(name);
    const bytes = file && readUpload(file.info, getFileText(file));
    const stored = file && bytes && 'bytes' in bytes ? { base64: getFileText(file).replaceAll('\n', '') } : undefined;
    const upload = readUploadFile?.(path) ?? stored;
    if (upload) uploads.set(name, formatUpload(name, upload));
  };
  const visit = (content: string, base: string, depth: number): void => {
    const { uses, cases, checked, uploads: sent, protos } = listReferences(content);
    for (const name of protos) collectProtoFiles(resolveName(name, base), readProto);
    for (const name of sent) addUpload(resolveName(name, base));
    // The cases of a used scenario are not its steps.
    for (const name of base === '' ? [...cases, ...checked] : checked) add(resolveName(name, base));
    for (const use of uses) {
      const name = resolveName(use, base);
      const used = add(name, removeFiles);
      if (used === undefined) continue;
      requests.push(...listRequests(used));
      if (depth < maxUseDepth) visit(used, name, depth + 1);
    }
  };
  visit(own, '', 0);
  if (contents.size + uploads.size === 0) return text;
  const written = [...contents].map(([name, content]) => writeFile(name, reduce(content, requests)));
  written.push(...uploads.values());
  return `${[own.trimEnd(), '## FILES', ...written].join('\n\n')}\n`;
}

/** A file of FILES in a text, by its lines there. */
type FileLines = { readonly name: string; readonly first: number; readonly end: number };

/** Those of the text that was read last: the lines of one text are located in turn, for each false check or case of its run. */
let lastRead: { readonly text: string; readonly files: readonly FileLines[] } = { text: '', files: [] };

function readFileLines(text: string): readonly FileLines[] {
  if (text === lastRead.text) return lastRead.files;
  const { sections } = readOutline(readBlocks(readSource(text), unreported), unreported);
  const entries = readFiles(sections.find(({ definition }) => definition.name === 'FILES')).values();
  const files = [...entries].flatMap(({ name, lines }) => {
    const first = lines[0]?.number;
    return first === undefined ? [] : [{ name, first, end: first + lines.length }];
  });
  lastRead = { text, files };
  return files;
}

/** Where a line of the text comes from. `file` is the path of the scenario. */
export function locateLine(file: string, text: string, line: number): { readonly file: string; readonly line: number } {
  if (!text.includes('\n## FILES')) return { file, line };
  for (const { name, first, end } of readFileLines(text)) {
    if (line < first || line >= end) continue;
    const isFile = /\.\w+$/.test(name);
    return { file: isFile ? resolveName(name, file.replaceAll('\\', '/')) : name, line: line - first + 1 };
  }
  return { file, line };
}

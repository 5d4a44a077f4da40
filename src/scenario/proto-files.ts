/** The `.proto` files of a gRPC call: the line `proto: <file>`, and what these files import. */
import type { Block, LinePiece } from './blocks.ts';
import { grpcWord, type ProtoFile } from './scenario.ts';

const lineForm = /^(\s*proto:\s*)(\S.*?)\s*$/;
const importForm = /^[ \t]*import\s+(?:public\s+|weak\s+|option\s+)?["']([^"'\n]+)["']\s*;/gm;

/** The name of the file in a line `proto: orders.proto`; undefined for another line. */
export function readProtoLine({ text, start }: LinePiece): LinePiece | undefined {
  const [, before = '', name] = lineForm.exec(text) ?? [];
  return name === undefined ? undefined : { text: name, start: start + before.length };
}

/** The files that the requests of a section name, wherever their head is written. */
export function listProtoNames(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    const isHead = block.kind === 'fence' && block.content[0]?.text.trimStart().startsWith(grpcWord);
    const pieces = isHead ? block.content : block.kind === 'text' ? block.lines : [];
    return pieces.flatMap((piece) => readProtoLine(piece)?.text ?? []);
  });
}

/** What a file imports, as it is written there. */
function listImports(proto: string): string[] {
  return Array.from(proto.matchAll(importForm), ([, name = '']) => name);
}

/**
 * Where an imported file may be: below the folder of the file that imports it, or below a folder above that one, the nearest first.
 * The compiler of Protocol Buffers gets such folders as its arguments; here nobody names them.
 */
export function listImportPaths(name: string, importingFile: string): string[] {
  const folders = importingFile.split('/').slice(0, -1);
  const paths = folders.map((_folder, index) => [...folders.slice(0, folders.length - index), name].join('/'));
  return [...paths, name];
}

/** The file at `path` with everything that it imports and `read` has; each once, the importing file first. */
export function collectProtoFiles(path: string, read: (path: string) => string | undefined): ProtoFile[] {
  const files = new Map<string, string>();
  const visit = (candidate: string): boolean => {
    if (files.has(candidate)) return true;
    const text = read(candidate);
    if (text === undefined) return false;
    files.set(candidate, text);
    for (const name of listImports(text)) listImportPaths(name, candidate).some(visit);
    return true;
  };
  visit(path);
  return Array.from(files, ([each, text]) => ({ path: each, text }));
}

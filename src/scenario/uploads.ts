/** Files that a multipart body sends, as they stand below `## FILES`: their bytes in Base64. */
import type { Block } from './blocks.ts';
import { parseMultipartLine } from './multipart-line.ts';

/** Base64 takes a third more, and a scenario has at most 1,048,576 characters together with its files. */
export const maxUploadBytes = 600_000;

/** A file as it was read; `sizeBytes` alone where it is larger than {@link maxUploadBytes}. */
export type UploadFile = { readonly base64: string } | { readonly sizeBytes: number };

const tooLarge = 'too-large';
const lineLength = 100;

/** The name of the file below `## FILES`; texts have the same name without the sign. */
export function toUploadName(path: string): string {
  return `@${path}`;
}

/** The paths in the fences `multipart` of a section, as they are written. */
export function listUploadPaths(blocks: readonly Block[]): string[] {
  return blocks
    .filter((block) => block.kind === 'fence' && block.info.toLowerCase() === 'multipart')
    .flatMap((block) => (block.kind === 'fence' ? block.content : []))
    .flatMap(({ text }) => {
      const line = parseMultipartLine(text);
      return typeof line === 'object' && line.kind === 'file' ? [line.path] : [];
    });
}

/** The entry of `## FILES`; one that is too large has its size in place of its bytes, and is refused when it is read. */
export function formatUpload(name: string, upload: UploadFile): string {
  if ('sizeBytes' in upload) return `### ${name}\n\n~~~${tooLarge}\n${upload.sizeBytes}\n~~~`;
  const lines = upload.base64.match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  return ['### ', name, '\n\n~~~base64\n', ...lines.map((line) => `${line}\n`), '~~~'].join('');
}

export type ReadUpload = { readonly bytes: Uint8Array } | { readonly problem: string; readonly cure: string };

/** `info` and `content` are those of the fence. */
export function readUpload(info: string, content: string): ReadUpload {
  const cure = `send a file of at most ${maxUploadBytes} bytes, such as a smaller one of the same kind`;
  if (info === tooLarge) return { problem: `has ${content.trim()} bytes`, cure };
  try {
    const binary = atob(content);
    return { bytes: Uint8Array.from(binary, (sign) => sign.charCodeAt(0)) };
  } catch {
    return {
      problem: 'is not Base64 below FILES',
      cure: 'remove the section FILES; it is written again from the folder',
    };
  }
}

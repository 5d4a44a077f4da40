/**
 * Bodies of a fence `multipart` (RFC 7578). Files of the test folder are part of the text of the scenario, so their size is
 * bounded; texts are placeholders' values and what stands in the line.
 */
import type { LinePiece } from './blocks.ts';
import { findFileAt, getFileText, resolveName } from './embedded-files.ts';
import { parseMultipartLine } from './multipart-line.ts';
import type { BodyEncoding, MultipartField, Template } from './scenario.ts';
import { toRange } from './source.ts';
import { readTemplate, type TemplateContext } from './template.ts';
import { readUpload, toUploadName } from './uploads.ts';

type MultipartLineFile = Extract<ReturnType<typeof parseMultipartLine>, { kind: 'file' }>;

/** What usual files are; others are `application/octet-stream`. */
const typeByExtension: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  zip: 'application/zip',
};

const typeForm = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w-]+=[\w.+-]+)*$/;

/** The fields and files, and the values of the fields as one template. */
export function readMultipart(
  pieces: readonly LinePiece[],
  context: TemplateContext,
): { readonly encoding: BodyEncoding; readonly body: Template } {
  const fields: MultipartField[] = [];
  for (const piece of pieces) {
    const line = parseMultipartLine(piece.text);
    if (line === undefined) continue;
    if (typeof line === 'string')
      reportLine(piece, line, 'write each field as `name = value` or `name = @file`', context);
    else if (line.kind === 'file') fields.push(...readFile(piece, line, context));
    else {
      const value = { text: piece.text.slice(line.at).trimEnd(), start: piece.start + line.at };
      fields.push({ name: line.name, value: readTemplate([value], context) });
    }
  }
  const parts = fields.flatMap((field) => ('value' in field ? field.value.parts : []));
  const [first, last] = [pieces.at(0), pieces.at(-1)];
  const range = toRange(context.source, first?.start ?? 0, (last?.start ?? 0) + (last?.text.length ?? 0));
  return { encoding: { kind: 'multipart', fields }, body: { parts, range } };
}

function reportLine({ text, start }: LinePiece, problem: string, cure: string, { report }: TemplateContext): void {
  report('SCENARIO_BODY_ENCODING', start, start + Math.max(1, text.length), { problem, cure });
}

function readFile(piece: LinePiece, line: MultipartLineFile, context: TemplateContext): MultipartField[] {
  const { name, path, type, filename = path.split('/').at(-1) ?? path } = line;
  const { files = new Map(), source } = context;
  const start = piece.start + line.at;
  const refuse = (problem: string, cure: string): MultipartField[] => {
    reportLine({ text: piece.text.slice(line.at), start }, problem, cure, context);
    return [];
  };
  if (/\$\{/.test(piece.text.slice(line.at)))
    return refuse(
      'the name of a file has a placeholder',
      'name the file itself; only values of fields have placeholders',
    );
  if (type !== undefined && !typeForm.test(type))
    return refuse(`\`${type}\` is not a media type`, 'write it as `type=image/png`');
  const base = findFileAt(files, toRange(source, start, start).start.line) ?? '';
  const embedded = files.get(toUploadName(resolveName(path, base)));
  if (embedded === undefined) {
    context.report('SCENARIO_FILE_ABSENT', start, start + Math.max(1, piece.text.length - line.at), { name: path });
    return [];
  }
  const upload = readUpload(embedded.info, getFileText(embedded));
  if ('problem' in upload) return refuse(`\`${path}\` ${upload.problem}`, upload.cure);
  const usualType = typeByExtension[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream';
  return [{ name, filename, type: type ?? usualType, bytes: upload.bytes }];
}

/** As browsers write names: RFC 7578, and "Multipart form data" of the HTML standard. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** `text` is the body for people: in place of its bytes a file has their number. */
export type MultipartBody = { readonly type: string; readonly bytes: Uint8Array; readonly text: string };

/** `fill` replaces placeholders. The boundary begins with `seed`, and no part contains it. */
export function encodeMultipart(
  fields: readonly MultipartField[],
  seed: string,
  fill: (value: Template) => string,
): MultipartBody {
  const encoder = new TextEncoder();
  const parts = fields.map((field) => {
    const head = `Content-Disposition: form-data; name="${escapeName(field.name)}"`;
    if ('value' in field) {
      const text = fill(field.value);
      return { head: `${head}\r\n\r\n`, bytes: encoder.encode(text), text };
    }
    const { filename, type, bytes } = field;
    const fileHead = `${head}; filename="${escapeName(filename)}"\r\nContent-Type: ${type}\r\n\r\n`;
    return { head: fileHead, bytes, text: `[${bytes.length} bytes of ${filename}]` };
  });
  const boundary = chooseBoundary(seed, parts);
  const chunks: Uint8Array[] = [];
  let text = '';
  for (const part of parts) {
    const opening = `--${boundary}\r\n${part.head}`;
    chunks.push(encoder.encode(opening), part.bytes, encoder.encode('\r\n'));
    text += `${opening}${part.text}\r\n`;
  }
  chunks.push(encoder.encode(`--${boundary}--\r\n`));
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: joinBytes(chunks),
    text: `${text}--${boundary}--\r\n`.replaceAll('\r\n', '\n'),
  };
}

/** At most 70 characters (RFC 2046, 5.1.1). */
function chooseBoundary(seed: string, parts: readonly { readonly bytes: Uint8Array }[]): string {
  const decoder = new TextDecoder('latin1');
  const texts = parts.map(({ bytes }) => decoder.decode(bytes));
  const base = `vp-${seed.replaceAll(/[^\w-]/g, '').slice(-50)}`;
  let boundary = base;
  for (let number = 1; texts.some((text) => text.includes(boundary)); number += 1) boundary = `${base}-${number}`;
  return boundary;
}

function joinBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}

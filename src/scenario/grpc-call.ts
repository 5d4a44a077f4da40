/**
 * `GRPC <package>.<Service>/<Method>`: a trigger that calls a method of a gRPC server. Header lines are its metadata; a line
 * `proto: <file>` names the schema, which the server is asked for without it. The body is the JSON of one message, or a fence
 * `messages` with a message on each line.
 */
import type { FencedBlock, LinePiece } from './blocks.ts';
import { findFileAt, getFileText, resolveName } from './embedded-files.ts';
import { readHeaders, warnAboutMissingRequestId } from './headers.ts';
import { collectProtoFiles, readProtoLine } from './proto-files.ts';
import { grpcWord, type ProtoFile, type Template, type Trigger, type TriggerHeader } from './scenario.ts';
import { toRange } from './source.ts';
import { readTemplate, type TemplateContext } from './template.ts';

const methodForm = /^((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)\/([A-Za-z_]\w*)$/;
const maxNameLength = 500;
/** They follow from the protocol; `grpc-timeout` may be written. */
const ownHeaders = /^(?:content-type|grpc-(?!timeout$).*)$/i;

/** What the protocol requires of each call. */
export const grpcHeaders = [
  ['Content-Type', 'application/grpc'],
  ['TE', 'trailers'],
  ['Grpc-Accept-Encoding', 'identity'],
] as const;

/** True for the first line of such a trigger. */
export function isGrpcCall({ text }: LinePiece): boolean {
  return new RegExp(`^${grpcWord}(?:\\s|$)`).test(text);
}

type CallParts = {
  readonly head: readonly LinePiece[];
  readonly body: readonly LinePiece[] | undefined;
  readonly bodyFence: FencedBlock | undefined;
};

/** Undefined if the call cannot be sent. Every problem is reported. */
export function readGrpcCall(
  { head, body = [], bodyFence }: CallParts,
  context: TemplateContext,
  { isStep }: { readonly isStep: boolean },
): Trigger | undefined {
  const [first, ...rest] = head;
  if (!first) return undefined;
  const [, service, rpc] = methodForm.exec(first.text.slice(grpcWord.length).trim().slice(0, maxNameLength)) ?? [];
  if (service === undefined || rpc === undefined)
    context.report('SCENARIO_GRPC_INVALID', first.start, first.start + first.text.length, {});
  const proto = readProto(rest, context);
  const headers = readMetadata(
    rest.filter((piece) => !readProtoLine(piece)),
    context,
  );
  const template = body.length === 0 ? undefined : readTemplate(body, context);
  const info = bodyFence?.info.toLowerCase() ?? '';
  const isList = info === 'messages';
  const isReadable = checkMessageText(template, info, context);
  if (service === undefined || rpc === undefined || !isReadable || proto === 'absent') return undefined;
  if (!isStep) warnAboutMissingRequestId(headers, first, context);
  const end = template?.range.end.offset ?? first.start + first.text.length;
  const range = toRange(context.source, first.start, end);
  return {
    method: 'POST',
    path: { parts: [{ text: `/${service}/${rpc}` }], range },
    headers,
    body: template,
    grpc: { service, rpc, ...(proto ? { proto } : {}) },
    ...(isList ? { encoding: { kind: 'messages' } } : {}),
    range,
  };
}

/** The file of the line `proto:` with what it imports. */
function readProto(lines: readonly LinePiece[], context: TemplateContext): readonly ProtoFile[] | 'absent' | undefined {
  const [name, second] = lines.flatMap((line) => readProtoLine(line) ?? []);
  if (!name) return undefined;
  const { report, source, files = new Map() } = context;
  if (second) report('SCENARIO_HEADER_DOUBLED', second.start, second.start + second.text.length, { name: 'proto' });
  const { start } = toRange(source, name.start, name.start);
  const path = resolveName(name.text, findFileAt(files, start.line) ?? '');
  const read = (each: string): string | undefined => {
    const file = files.get(resolveName(each, ''));
    return file && getFileText(file);
  };
  const proto = collectProtoFiles(path, read);
  if (proto.length > 0) return proto;
  report('SCENARIO_FILE_ABSENT', name.start, name.start + name.text.length, { name: name.text });
  return 'absent';
}

function readMetadata(lines: readonly LinePiece[], context: TemplateContext): readonly TriggerHeader[] {
  const headers = readHeaders(lines, context);
  const cure = 'remove the line: it follows from the protocol';
  for (const { name, range } of headers)
    if (ownHeaders.test(name))
      context.report('SCENARIO_HEADER_REFUSED', range.start.offset, range.end.offset, { name, cure });
  return headers;
}

/** Placeholders stand for a digit, which is right within a text and outside of one. */
function checkMessageText(template: Template | undefined, info: string, { report }: TemplateContext): boolean {
  if (!template) return true;
  const text = template.parts.map((part) => ('text' in part ? part.text : '0')).join('');
  const texts = info === 'messages' ? text.split('\n').filter((line) => line.trim() !== '') : [text];
  const isEncoded = ['form', 'graphql', 'multipart'].includes(info);
  if (!isEncoded && texts.every(isJson)) return true;
  report('SCENARIO_GRPC_MESSAGE', template.range.start.offset, template.range.end.offset, {});
  return false;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * JSON files of other programs, with comments and trailing commas: read with their places, and added to without touching
 * anything. What is added comes first in its object or list, so that only whole lines are new: no comma of a line before
 * it changes, and no comment loses its place.
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { vpError } from '../../errors/vp-error.ts';
import { lineEndOf, type TextEdit } from './text-edit.ts';

/** A document: its text, and the object at its top; undefined in a file without any content. */
export type JsonDocument = { readonly file: string; readonly text: string; readonly root: Node | undefined };

/** Reads `text`; `file` names it in errors. Throws FOLDER_FILE_BROKEN, FOLDER_FILE_SHAPE. */
export function readDocument(file: string, text: string): JsonDocument {
  const errors: ParseError[] = [];
  // A byte order mark is no JSON, so it is read as a space.
  const readable = text.replace(/^\uFEFF/, ' ');
  if (readable.trim() === '') return { file, text, root: undefined };
  const root = parseTree(readable, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first || !root) throw brokenAt(file, readable, first);
  return { file, text, root: demandType(file, root, 'object', 'the whole') };
}

function brokenAt(file: string, text: string, error: ParseError | undefined) {
  const offset = error?.offset ?? 0;
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1];
  const words = (error ? printParseErrorCode(error.error) : 'ValueExpected').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return vpError(
    'FOLDER_FILE_BROKEN',
    { file, line, column, problem: words.toLowerCase() },
    { place: { file, line, column } },
  );
}

function demandType(file: string, node: Node, wanted: 'object' | 'array', what: string): Node {
  if (node.type !== wanted)
    throw vpError('FOLDER_FILE_SHAPE', { file, what, wanted: wanted === 'array' ? 'list' : wanted });
  return node;
}

/** The member `name` of an object: of several, the last, as every reader of JSON takes it. */
export function memberOf(object: Node, name: string): Node | undefined {
  return object.children?.findLast(({ children }) => children?.[0]?.value === name);
}

/** The value of the member `name`, which must be an object or a list. Throws FOLDER_FILE_SHAPE. */
export function containerOf({ file, root }: JsonDocument, name: string, type: 'object' | 'array'): Node | undefined {
  const value = root && memberOf(root, name)?.children?.[1];
  return value && demandType(file, value, type, name);
}

/** The edit that puts the member `name` first into `object` (a list takes the value alone). */
export function insertion({ text, root }: JsonDocument, into: Node, name: string, value: unknown): TextEdit {
  const first = into.children?.[0];
  const named = (layout: Layout): string => {
    const written = writtenAs(value, layout);
    return into.type === 'array' ? written : `${JSON.stringify(name)}: ${written}`;
  };
  const comma = first ? ',' : '';
  const rest = text.slice(into.offset + 1, first?.offset ?? into.offset + into.length - 1);
  if (!/\n/.test(rest) && (first || isCompact(text, root))) {
    const offset = first?.offset ?? into.offset + 1;
    return { offset, length: 0, content: named(compact) + (first ? ', ' : '') };
  }
  const end = lineEndOf(text);
  const unit = unitOf(text, root);
  const outer = indentAt(text, into.offset);
  const indent = first && startsLine(text, first.offset) ? indentAt(text, first.offset) : outer + unit;
  const content = end + indent + named({ end, unit, indent }) + comma;
  const sameLine = /^(?:[^\S\r\n]*(?:\/\/[^\r\n]*|\/\*(?:[^*\r\n]|\*(?!\/))*\*\/))*/.exec(rest)?.[0].length ?? 0;
  const closing = /\n/.test(rest) ? '' : end + outer;
  return { offset: into.offset + 1 + sameLine, length: 0, content: content + closing };
}

/** How a value is written: without lines, or with lines that begin with `indent`. */
type Layout = { readonly end: string; readonly unit: string; readonly indent: string };
const compact: Layout = { end: '', unit: '', indent: '' };

function writtenAs(value: unknown, { end, unit, indent }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', end + indent);
}

/** A document in one line, which stays one. */
function isCompact(text: string, root: Node | undefined): boolean {
  return !text.trim().includes('\n') && (root?.children?.length ?? 0) > 0;
}

function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^\uFEFF?([^\S\r\n]*)/.exec(text.slice(start, offset))?.[1] ?? '';
}

function startsLine(text: string, offset: number): boolean {
  return /^\s*$/.test(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset));
}

/** One step of indentation: what the first member of the document has more than its brace. */
function unitOf(text: string, root: Node | undefined): string {
  const first = root?.children?.[0];
  if (!root || !first || !startsLine(text, first.offset)) return '  ';
  return indentAt(text, first.offset).slice(indentAt(text, root.offset).length) || '  ';
}

/** The edits that take `child` out of `from`: its lines, its comma, and nothing else. */
export function removal({ text }: JsonDocument, from: Node, child: Node): TextEdit[] {
  const children = from.children ?? [];
  const at = children.indexOf(child);
  const end = child.offset + child.length;
  const commaAfter = commaIn(text, end, children[at + 1]?.offset ?? from.offset + from.length - 1);
  const lead = startsLine(text, child.offset) ? /\r?\n?[^\S\r\n]*$/.exec(text.slice(0, child.offset))?.[0].length : 0;
  const start = child.offset - (lead ?? 0);
  if (commaAfter !== undefined) return withComma(text, { start, end }, commaAfter, lead === 0);
  const before = children[at - 1];
  const commaBefore = before && commaIn(text, before.offset + before.length, child.offset);
  const own = { offset: start, length: end - start, content: '' };
  return commaBefore === undefined ? [own] : [{ offset: commaBefore, length: 1, content: '' }, own];
}

function withComma(
  text: string,
  { start, end }: { start: number; end: number },
  comma: number,
  inLine: boolean,
): TextEdit[] {
  if (text.slice(end, comma).trim() !== '') {
    return [
      { offset: start, length: end - start, content: '' },
      { offset: comma, length: 1, content: '' },
    ];
  }
  const space = inLine && text[comma + 1] === ' ' ? 1 : 0;
  return [{ offset: start, length: comma + 1 + space - start, content: '' }];
}

/** Where the comma between two places is, comments left out. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const blanked = text
    .slice(from, to)
    .replaceAll(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g, (found) => ' '.repeat(found.length));
  const at = blanked.indexOf(',');
  return at < 0 ? undefined : from + at;
}

/**
 * Edits JSON files of other programs, with comments and trailing commas, without touching anything else. What is added comes
 * first in its object or list, so that only whole lines are new: no comma of another line changes, and no comment moves away
 * from what it describes.
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { vpError } from '../../errors/vp-error.ts';
import { detectLineEnding, type TextEdit } from './text-edit.ts';

/** `root` is the top-level object; undefined in a file without content. */
export type JsonDocument = { readonly file: string; readonly text: string; readonly root: Node | undefined };

/** Reads `text`; `file` names it in errors. Throws FOLDER_FILE_BROKEN, FOLDER_FILE_SHAPE. */
export function parseJsonDocument(file: string, text: string): JsonDocument {
  const errors: ParseError[] = [];
  // A byte order mark is not JSON: it is replaced by a space for the parser.
  const readable = text.replace(/^\uFEFF/, ' ');
  if (readable.trim() === '') return { file, text, root: undefined };
  const root = parseTree(readable, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first || !root) throw toBrokenFileError(file, readable, first);
  return { file, text, root: assertNodeType(file, root, 'object', 'the top-level value') };
}

function toBrokenFileError(file: string, text: string, error: ParseError | undefined) {
  const offset = error?.offset ?? 0;
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1];
  const parserMessage = (error ? printParseErrorCode(error.error) : 'ValueExpected').replaceAll(
    /(?<=[a-z])(?=[A-Z])/g,
    ' ',
  );
  return vpError(
    'FOLDER_FILE_BROKEN',
    { file, line, column, problem: parserMessage.toLowerCase() },
    { location: { file, line, column } },
  );
}

function assertNodeType(file: string, node: Node, expectedType: 'object' | 'array', nodeName: string): Node {
  if (node.type !== expectedType)
    throw vpError('FOLDER_FILE_SHAPE', {
      file,
      member: nodeName,
      expected: expectedType === 'array' ? 'a list' : 'an object',
    });
  return node;
}

/** The member `name` of an object. Of duplicates the last counts, as for every JSON parser. */
export function findJsonMember(object: Node, name: string): Node | undefined {
  return object.children?.findLast(({ children }) => children?.[0]?.value === name);
}

/** The value of the member `name`, which must have that type. Throws FOLDER_FILE_SHAPE. */
export function findJsonContainer(
  { file, root }: JsonDocument,
  name: string,
  type: 'object' | 'array',
): Node | undefined {
  const value = root && findJsonMember(root, name)?.children?.[1];
  return value && assertNodeType(file, value, type, name);
}

/** The edit that inserts the member `name` first into an object, or the value alone into a list. */
export function buildInsertion({ text, root }: JsonDocument, into: Node, name: string, value: unknown): TextEdit {
  const first = into.children?.[0];
  const formatMember = (layout: Layout): string => {
    const serialized = serialize(value, layout);
    return into.type === 'array' ? serialized : `${JSON.stringify(name)}: ${serialized}`;
  };
  const comma = first ? ',' : '';
  const rest = text.slice(into.offset + 1, first?.offset ?? into.offset + into.length - 1);
  if (!/\n/.test(rest) && (first || isCompact(text, root))) {
    const offset = first?.offset ?? into.offset + 1;
    return { offset, length: 0, content: formatMember(compact) + (first ? ', ' : '') };
  }
  const end = detectLineEnding(text);
  const unit = detectIndentUnit(text, root);
  const outerIndent = indentAt(text, into.offset);
  const indent = first && startsLine(text, first.offset) ? indentAt(text, first.offset) : outerIndent + unit;
  const content = end + indent + formatMember({ end, unit, indent }) + comma;
  const sameLine = /^(?:[^\S\r\n]*(?:\/\/[^\r\n]*|\/\*(?:[^*\r\n]|\*(?!\/))*\*\/))*/.exec(rest)?.[0].length ?? 0;
  const closing = /\n/.test(rest) ? '' : end + outerIndent;
  return { offset: into.offset + 1 + sameLine, length: 0, content: content + closing };
}

/** How a value is serialized: on one line, or with lines that start with `indent`. */
type Layout = { readonly end: string; readonly unit: string; readonly indent: string };
const compact: Layout = { end: '', unit: '', indent: '' };

function serialize(value: unknown, { end, unit, indent }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', end + indent);
}

/** True for a document on one line, which stays on one line. */
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

/** One level of indentation, taken from the first member of the document. */
function detectIndentUnit(text: string, root: Node | undefined): string {
  const first = root?.children?.[0];
  if (!root || !first || !startsLine(text, first.offset)) return '  ';
  return indentAt(text, first.offset).slice(indentAt(text, root.offset).length) || '  ';
}

/** The edits that remove `child` from its parent: its lines and its comma. */
export function buildRemoval({ text }: JsonDocument, from: Node, child: Node): TextEdit[] {
  const children = from.children ?? [];
  const index = children.indexOf(child);
  const end = child.offset + child.length;
  const commaAfter = findComma(text, end, children[index + 1]?.offset ?? from.offset + from.length - 1);
  const lead = startsLine(text, child.offset) ? /\r?\n?[^\S\r\n]*$/.exec(text.slice(0, child.offset))?.[0].length : 0;
  const start = child.offset - (lead ?? 0);
  if (commaAfter !== undefined) return removeWithComma(text, { start, end }, commaAfter, lead === 0);
  const before = children[index - 1];
  const commaBefore = before && findComma(text, before.offset + before.length, child.offset);
  const ownEdit = { offset: start, length: end - start, content: '' };
  return commaBefore === undefined ? [ownEdit] : [{ offset: commaBefore, length: 1, content: '' }, ownEdit];
}

function removeWithComma(
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

/** Offset of the comma between two offsets, outside of comments. */
function findComma(text: string, start: number, end: number): number | undefined {
  const blanked = text
    .slice(start, end)
    .replaceAll(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g, (comment) => ' '.repeat(comment.length));
  const index = blanked.indexOf(',');
  return index < 0 ? undefined : start + index;
}

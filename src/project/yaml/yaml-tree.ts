/** Parses YAML text to plain values with their positions. Every scalar becomes text, like all values of a config. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument, type YAMLError } from 'yaml';
import type { ErrorCode } from '../../errors/table.ts';
import type { ErrorValues } from '../../errors/vp-error.ts';
import type { ConfigPosition } from '../config-problem.ts';

/** A YAML value; null is an empty value. */
export type PlainValue = null | string | readonly PlainValue[] | { readonly [key: string]: PlainValue };

/** `key` is the position of the key (undefined for the root and for list items), `value` that of its value. */
export type KeyValuePositions = { readonly key: ConfigPosition | undefined; readonly value: ConfigPosition };

/** `positions` is by JSON pointer (RFC 6901); the root's is the empty text. */
export type ConfigTree = { readonly root: PlainValue; readonly positions: ReadonlyMap<string, KeyValuePositions> };

export type ReportAt = <C extends ErrorCode>(code: C, position: ConfigPosition, values: ErrorValues<C>) => void;

const maxDepth = 12;
const defaultHint = '`key: value`, indent each level by two spaces, quote text that contains `: ` or ` #`';
const braceHint = 'inside braces a reference needs quotes, as in `{bearer_token: "${API_TOKEN}"}`';

/**
 * Parses `text`. Duplicate keys are reported and the rest is still read; returns undefined when it is not YAML, after
 * reporting every such line. Anchors and aliases are refused: a config does not need them, and they can make a small
 * file huge.
 */
export function readYaml(text: string, report: ReportAt): ConfigTree | undefined {
  const counter = new LineCounter();
  const getPosition = (offset: number): ConfigPosition => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const document = tryParse(text, counter);
  if (!document) {
    reportDepth({ line: 1, column: 1 }, report);
    return undefined;
  }
  const isBroken = reportErrors(document.errors, text, getPosition, report);
  if (isBroken) return undefined;
  const walk: TreeWalk = { positions: new Map(), getPosition, report };
  const root = document.contents === null ? null : toPlainValue(document.contents, '', undefined, walk, 0);
  return { root, positions: walk.positions };
}

/** Undefined where the text is nested more deeply than the library can follow. Unique keys are our own check: its is quadratic. */
function tryParse(text: string, lineCounter: LineCounter) {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error', uniqueKeys: false });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The pointer of a key below `parent`. */
export function joinPointer(parent: string, key: string): string {
  return `${parent}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** `/targets/http` → `targets.http`. */
export function formatDottedKey(pointer: string): string {
  return pointer.split('/').slice(1).join('.').replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The value at `pointer` below `root`; undefined when there is none. */
export function getYamlValue(root: PlainValue, pointer: string): PlainValue | undefined {
  let value: PlainValue | undefined = root;
  for (const segment of pointer.split('/').slice(1)) {
    if (value === null || value === undefined || typeof value === 'string') return undefined;
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  }
  return value;
}

type TreeWalk = {
  readonly positions: Map<string, KeyValuePositions>;
  readonly getPosition: (offset: number) => ConfigPosition;
  readonly report: ReportAt;
};

/** True when the tree is unusable. One error per line: further ones mostly follow from the first. */
function reportErrors(
  errors: readonly YAMLError[],
  text: string,
  getPosition: (offset: number) => ConfigPosition,
  report: ReportAt,
): boolean {
  const reportedLines = new Set<number>();
  const lines = errors.length === 0 ? [] : text.split('\n');
  let isBroken = false;
  for (const { code, message, pos } of errors) {
    const position = getPosition(pos[0]);
    isBroken = true;
    if (reportedLines.has(position.line)) continue;
    reportedLines.add(position.line);
    if (code === 'TAB_AS_INDENT') report('CONFIG_YAML_TAB', position, {});
    else if (code === 'RESOURCE_EXHAUSTION') return reportDepth(position, report);
    else
      report('CONFIG_YAML_INVALID', position, {
        problem: extractProblem(message),
        hint: selectHint(lines[position.line - 1] ?? ''),
      });
  }
  return isBroken;
}

function reportDepth(position: ConfigPosition, report: ReportAt): true {
  report('CONFIG_YAML_TOO_DEEP', position, { limit: maxDepth });
  return true;
}

/** The library quotes the offending token or tag, which may be part of a secret. */
function extractProblem(message: string): string {
  const shortMessage = message
    .replace(/[:;].*$/s, '')
    .replace(/(escape sequence).*$/s, '$1')
    .replace(/^The \S+ tag/, 'The tag');
  return shortMessage.charAt(0).toLowerCase() + shortMessage.slice(1);
}

function selectHint(line: string): string {
  return /\{.*[^"']\$\{/.test(line) ? braceHint : defaultHint;
}

function toPlainValue(
  node: ParsedNode,
  pointer: string,
  key: ConfigPosition | undefined,
  walk: TreeWalk,
  depth: number,
): PlainValue {
  const value = walk.getPosition(node.range[0]);
  walk.positions.set(pointer, { key, value });
  if (isAlias(node) || ('anchor' in node && node.anchor)) {
    walk.report('CONFIG_YAML_ALIAS', value, {});
    return null;
  }
  if (depth > maxDepth) {
    walk.report('CONFIG_YAML_TOO_DEEP', value, { limit: maxDepth });
    return null;
  }
  if (isMap(node)) return toRecord(node.items, pointer, walk, depth);
  if (isSeq(node)) {
    return node.items.map((item, index) => toPlainValue(item, `${pointer}/${index}`, undefined, walk, depth + 1));
  }
  return isScalar(node) ? toScalarText(node.value, node.source) : null;
}

type YamlPairs = readonly { readonly key: ParsedNode; readonly value: ParsedNode | null }[];

function toRecord(items: YamlPairs, parent: string, walk: TreeWalk, depth: number): PlainValue {
  const record: Record<string, PlainValue> = Object.create(null);
  for (const { key, value } of items) {
    const keyPosition = walk.getPosition(key.range[0]);
    const name = isScalar(key) ? toScalarText(key.value, key.source) : null;
    if (name === null) {
      walk.report('CONFIG_YAML_INVALID', keyPosition, { problem: 'a key must be a word', hint: defaultHint });
      continue;
    }
    const pointer = joinPointer(parent, name);
    if (name === '<<') walk.report('CONFIG_YAML_ALIAS', keyPosition, {});
    else if (name in record) walk.report('CONFIG_KEY_DOUBLED', keyPosition, { key: formatDottedKey(pointer) });
    if (name === '<<') continue;
    record[name] = value === null ? null : toPlainValue(value, pointer, keyPosition, walk, depth + 1);
    if (value === null) walk.positions.set(pointer, { key: keyPosition, value: keyPosition });
  }
  return record;
}

/** Numbers and booleans keep their spelling: `error_match: 50` means the text `50`. */
function toScalarText(value: unknown, source: string | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : (source ?? String(value));
}

/** YAML text → plain values, each with its place. Every scalar becomes text, as all values of a config are. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument, type YAMLError } from 'yaml';
import type { ErrorCode } from '../errors/table.ts';
import type { Values } from '../errors/vp-error.ts';
import type { Spot } from './problem.ts';

/** What YAML can say here; null is an empty value. */
export type Plain = null | string | readonly Plain[] | { readonly [key: string]: Plain };

/** `key` is where the key stands (undefined for the root and for items of a list), `value` where its value begins. */
export type Spots = { readonly key: Spot | undefined; readonly value: Spot };

/** `spots` is by JSON pointer (RFC 6901); the root's is the empty text. */
export type ConfigTree = { readonly root: Plain; readonly spots: ReadonlyMap<string, Spots> };

/** Tells a problem at a place. */
export type TellAt = <C extends ErrorCode>(code: C, spot: Spot, values: Values<C>) => void;

const depthLimit = 12;
const usualHint = '`key: value`, two spaces deeper for each level, quotes around text that holds `: ` or ` #`';
const braceHint = 'inside braces a reference needs quotes, as in `{bearer_token: "${API_TOKEN}"}`';

/**
 * Reads `text`. Doubled keys are told and the rest is still read; undefined when it is no YAML, after every such line was
 * told. Anchors and aliases are refused: nothing here needs them, and they can make a small file huge.
 */
export function readYaml(text: string, tell: TellAt): ConfigTree | undefined {
  const counter = new LineCounter();
  const spotAt = (offset: number): Spot => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'error' });
  const broken = tellErrors(document.errors, text, spotAt, tell);
  if (broken) return undefined;
  const walk: Walk = { spots: new Map(), spotAt, tell };
  const root = document.contents === null ? null : plainOf(document.contents, '', undefined, walk, 0);
  return { root, spots: walk.spots };
}

/** The pointer of a key below `parent`. */
export function pointerOf(parent: string, key: string): string {
  return `${parent}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** `/targets/http` → `targets.http`. */
export function dottedOf(pointer: string): string {
  return pointer.split('/').slice(1).join('.').replaceAll('~1', '/').replaceAll('~0', '~');
}

/** What stands at `pointer` below `root`; undefined where nothing does. */
export function valueAt(root: Plain, pointer: string): Plain | undefined {
  let value: Plain | undefined = root;
  for (const segment of pointer.split('/').slice(1)) {
    if (value === null || value === undefined || typeof value === 'string') return undefined;
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Object.entries(value).find(([key]) => key === name)?.[1];
  }
  return value;
}

type Walk = { readonly spots: Map<string, Spots>; readonly spotAt: (offset: number) => Spot; readonly tell: TellAt };

/** True when the tree cannot be trusted. One error a line: those behind it mostly follow from the first. */
function tellErrors(
  errors: readonly YAMLError[],
  text: string,
  spotAt: (offset: number) => Spot,
  tell: TellAt,
): boolean {
  const linesTold = new Set<number>();
  let broken = false;
  for (const { code, message, pos } of errors) {
    const spot = spotAt(pos[0]);
    if (code === 'DUPLICATE_KEY') continue;
    broken = true;
    if (linesTold.has(spot.line)) continue;
    linesTold.add(spot.line);
    if (code === 'TAB_AS_INDENT') tell('CONFIG_YAML_TAB', spot, {});
    else if (code === 'RESOURCE_EXHAUSTION') return tellDepth(spot, tell);
    else tell('CONFIG_YAML_INVALID', spot, { problem: problemIn(message), hint: hintFor(lineAt(text, spot.line)) });
  }
  return broken;
}

function tellDepth(spot: Spot, tell: TellAt): true {
  tell('CONFIG_YAML_TOO_DEEP', spot, { limit: depthLimit });
  return true;
}

/** The library quotes the token it stumbled over, which may be part of a secret. */
function problemIn(message: string): string {
  const short = message.replace(/[:;].*$/s, '').replace(/(escape sequence).*$/s, '$1');
  return short.charAt(0).toLowerCase() + short.slice(1);
}

function lineAt(text: string, line: number): string {
  return text.split('\n')[line - 1] ?? '';
}

function hintFor(line: string): string {
  return /\{.*[^"']\$\{/.test(line) ? braceHint : usualHint;
}

function plainOf(node: ParsedNode, pointer: string, key: Spot | undefined, walk: Walk, depth: number): Plain {
  const value = walk.spotAt(node.range[0]);
  walk.spots.set(pointer, { key, value });
  if (isAlias(node) || ('anchor' in node && node.anchor)) {
    walk.tell('CONFIG_YAML_ALIAS', value, {});
    return null;
  }
  if (depth > depthLimit) {
    walk.tell('CONFIG_YAML_TOO_DEEP', value, { limit: depthLimit });
    return null;
  }
  if (isMap(node)) return recordOf(node.items, pointer, walk, depth);
  if (isSeq(node)) {
    return node.items.map((item, index) => plainOf(item, `${pointer}/${index}`, undefined, walk, depth + 1));
  }
  return isScalar(node) ? scalarOf(node.value, node.source) : null;
}

type Pairs = readonly { readonly key: ParsedNode; readonly value: ParsedNode | null }[];

function recordOf(items: Pairs, parent: string, walk: Walk, depth: number): Plain {
  const record: Record<string, Plain> = Object.create(null);
  for (const { key, value } of items) {
    const spot = walk.spotAt(key.range[0]);
    const name = isScalar(key) ? scalarOf(key.value, key.source) : null;
    if (name === null) {
      walk.tell('CONFIG_YAML_INVALID', spot, { problem: 'a key must be a word', hint: usualHint });
      continue;
    }
    const pointer = pointerOf(parent, name);
    if (name === '<<') walk.tell('CONFIG_YAML_ALIAS', spot, {});
    else if (name in record) walk.tell('CONFIG_KEY_DOUBLED', spot, { key: dottedOf(pointer) });
    if (name === '<<') continue;
    record[name] = value === null ? null : plainOf(value, pointer, spot, walk, depth + 1);
    if (value === null) walk.spots.set(pointer, { key: spot, value: spot });
  }
  return record;
}

/** Numbers and truth values as they are written: `error_match: 50` means the text `50`. */
function scalarOf(value: unknown, source: string | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : (source ?? String(value));
}

/** The text of a hub's file: YAML with positions for problems, which never contain a value that may be a secret. */
import { Value } from '@sinclair/typebox/value';
import { isAlias, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument, stringify, visit } from 'yaml';
import { HubFile } from '../../../contract/hubs/hub-file.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { findReferenceProblems } from './file-rules.ts';
import { findSchemaProblems, type SchemaProblem, splitPointer } from './schema-problems.ts';

/** A problem of a file; the shape of other diagnostics of commands. */
export type HubFileProblem = { readonly message: string; readonly line: number; readonly column: number };

/** The file, and where its values are. */
export type ParsedHubFile = {
  readonly file: HubFile;
  readonly text: string;
  locate(path: string, isKey?: boolean): { readonly line: number; readonly column: number };
  /** The offsets of `revision` in the text; undefined without one. */
  readonly revisionRange: readonly [start: number, end: number] | undefined;
};

const maxLength = 2_000_000;
/** UTF-8 takes at most 3 bytes for each unit of the length: more bytes are always too long. */
export const maxHubFileBytes = 3 * maxLength;
const maxListed = 50;

/** Throws HUB_FILE_INVALID with every problem in `diagnostics`. */
export function parseHubFile(text: string, name: string): ParsedHubFile {
  const counter = new LineCounter();
  const getPosition = (offset: number) => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const refuse = (problems: readonly HubFileProblem[]): never => {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    throw vpError('HUB_FILE_INVALID', { file: name, problem: count }, { diagnostics: problems.slice(0, maxListed) });
  };
  if (text.length > maxLength) refuse([{ message: 'the file is too long', line: 1, column: 1 }]);
  const document = parseYaml(text, counter);
  if (!document) return refuse([{ message: 'the file is nested too deep', line: 1, column: 1 }]);
  const syntaxProblems = document.errors.map(({ message, pos }) => ({
    message: `not valid YAML: ${describeSyntax(message)}`,
    ...getPosition(pos[0]),
  }));
  if (syntaxProblems.length > 0) refuse(syntaxProblems);
  const aliases: HubFileProblem[] = [];
  visit(document, (_key, node) => {
    const hasAnchor = (isScalar(node) || isCollection(node)) && node.anchor !== undefined;
    if (isAlias(node) || hasAnchor)
      aliases.push({ message: 'anchors and aliases are not used here', ...getPosition(node.range?.[0] ?? 0) });
  });
  if (aliases.length > 0) refuse(aliases);
  const locate = createLocator(document, getPosition);
  const value: unknown = document.toJS();
  const describe = ({ path, problem, isKey }: SchemaProblem): HubFileProblem => ({
    message: `${formatPath(path)} ${problem}`,
    ...locate(path, isKey),
  });
  if (!Value.Check(HubFile, value)) return refuse(findSchemaProblems(HubFile, value).map(describe));
  const problems = findReferenceProblems(value);
  if (problems.length > 0) refuse(problems.map(describe));
  const revision = document.getIn(['revision'], true);
  const range = isNode(revision) ? revision.range : undefined;
  return { file: value, text, locate, revisionRange: range ? [range[0], range[1]] : undefined };
}

/** Undefined where the text is nested more deeply than the library can follow. */
function parseYaml(text: string, lineCounter: LineCounter) {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Without the token that the library quotes, which may be part of a secret. */
function describeSyntax(message: string): string {
  return message.replace(/[:;].*$/s, '').replace(/^The \S+ tag/, 'The tag');
}

/** `/connections/0/credential/value` → `connections[0].credential.value`. */
export function formatPath(path: string): string {
  if (path === '') return 'the file';
  return splitPointer(path)
    .map((segment, index) => (/^\d+$/.test(segment) ? `[${segment}]` : `${index === 0 ? '' : '.'}${segment}`))
    .join('');
}

type Position = { readonly line: number; readonly column: number };

/** The position of the value at a pointer, of its key, or of the nearest parent that is there. */
function createLocator(document: ReturnType<typeof parseDocument>, getPosition: (offset: number) => Position) {
  return (path: string, isKey = false): Position => {
    const segments = splitPointer(path);
    for (let length = segments.length; length > 0; length -= 1) {
      const parent = length === 1 ? document.contents : document.getIn(segments.slice(0, length - 1), true);
      const pair = isMap(parent)
        ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === segments[length - 1])
        : undefined;
      const node = document.getIn(segments.slice(0, length), true);
      const target = (isKey || !isNode(node)) && pair ? pair.key : node;
      if (isNode(target) && target.range) return getPosition(target.range[0]);
    }
    return { line: 1, column: 1 };
  };
}

/** The text of a file, without a line of the schema. */
export function renderHubFile(file: object): string {
  return stringify(file, { lineWidth: 0, aliasDuplicateObjects: false });
}

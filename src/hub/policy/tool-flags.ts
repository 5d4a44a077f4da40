/** Flags suspicious definitions: hidden characters, names that imitate others, oversized text. */
import type { ToolFlag } from '../../contract/hubs/policy-api.ts';
import { toolSeparator, type UpstreamTool } from '../types.ts';
import { escapeInvisible, maxDefinitionLength, serializeDefinition } from './tool-definition.ts';

/** Flags that block a tool until it is approved, even when it is new; the others are only displayed. */
const blockingKinds: readonly ToolFlag['kind'][] = ['hidden_characters', 'imitates', 'oversized'];

export function hasBlockingFlag(flags: readonly ToolFlag[]): boolean {
  return flags.some(({ kind }) => blockingKinds.includes(kind));
}

/** Zero-width, bidirectional, tag, filler and control characters. Variation selectors belong to emoji. */
const hiddenCharacters = /[[\p{DI}\p{Cc}]--[\t\n\r\u200C\u200D\uFE0E\uFE0F]]/v;
/** Joiners belong to emoji and to scripts that join letters; after a Latin letter they only hide. */
const strayJoiner = /(?:^|[\p{ASCII}])[\u200C\u200D]/v;

/** Letters that look like Latin ones (Unicode TS 39, those common in names), and digits that look like letters. */
const latinLookAlikes: Readonly<Record<string, string>> = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  і: 'i',
  ј: 'j',
  ѕ: 's',
  һ: 'h',
  ԁ: 'd',
  ԛ: 'q',
  ԝ: 'w',
  к: 'k',
  м: 'm',
  т: 't',
  в: 'b',
  н: 'h',
  г: 'r',
  п: 'n',
  ѵ: 'v',
  α: 'a',
  ε: 'e',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
  ϲ: 'c',
  η: 'n',
  ω: 'w',
  ı: 'i',
  ɡ: 'g',
  ɑ: 'a',
  ʟ: 'l',
  ո: 'n',
  օ: 'o',
  ս: 'u',
  հ: 'h',
  '0': 'o',
  '1': 'l',
  '|': 'l',
};

/** Names with the same skeleton look the same. */
export function toSkeleton(name: string): string {
  const letters = [...name.normalize('NFKC').replaceAll('I', 'l').toLowerCase()];
  const latinText = letters.map((letter) => latinLookAlikes[letter] ?? letter).join('');
  return latinText.normalize('NFD').replaceAll(/[\p{M}\p{Cf}_.\-\s]/gu, '');
}

export type HubToolName = { readonly connection: string; readonly tool: string };

/** The tools and connections of a hub, indexed by the look of their names. */
export type HubNameIndex = {
  readonly connections: ReadonlyMap<string, string>;
  readonly bySkeleton: ReadonlyMap<string, readonly HubToolName[]>;
  readonly byNearName: ReadonlyMap<string, readonly HubToolName[]>;
};

/** The name without each of its letters: names that share a result differ in one letter. */
function* listNearNames(name: string): Generator<string> {
  if (name.length < 6 || name.length > 100) return;
  yield name;
  for (let index = 0; index < name.length; index += 1) yield name.slice(0, index) + name.slice(index + 1);
}

function addToMap(map: Map<string, HubToolName[]>, key: string, tool: HubToolName): void {
  const existing = map.get(key);
  if (existing) existing.push(tool);
  else map.set(key, [tool]);
}

/** Built once for many tools. */
export function indexHubNames(tools: readonly HubToolName[], connections: readonly string[]): HubNameIndex {
  const bySkeleton = new Map<string, HubToolName[]>();
  const byNearName = new Map<string, HubToolName[]>();
  for (const candidate of tools) {
    addToMap(bySkeleton, toSkeleton(candidate.tool), candidate);
    for (const nearName of listNearNames(candidate.tool)) addToMap(byNearName, nearName, candidate);
  }
  return { connections: new Map(connections.map((name) => [toSkeleton(name), name])), bySkeleton, byNearName };
}

/** The flags of a tool of `connection` among the tools of its hub. */
export function findFlags(tool: UpstreamTool, connection: string, nameIndex: HubNameIndex): ToolFlag[] {
  const text = serializeDefinition(tool);
  const flags: ToolFlag[] = [];
  if (text.length > maxDefinitionLength || tool.name.length > maxNameLength)
    flags.push({ kind: 'oversized', message: `the definition is ${text.length} characters long` });
  const searchedText = toSearchedText(tool, text);
  const hidden = hiddenCharacters.exec(searchedText) ?? strayJoiner.exec(searchedText);
  if (hidden)
    flags.push({
      kind: 'hidden_characters',
      message: `it contains the invisible character ${escapeInvisible(hidden[0])}`,
    });
  return [...flags, ...findImitations(tool.name, connection, nameIndex)];
}

const maxNameLength = 128;

/** JSON escapes control characters, so the raw name and description are searched as well. */
function toSearchedText(tool: UpstreamTool, text: string): string {
  const description = typeof tool.description === 'string' ? tool.description : '';
  return `${tool.name}\n${description}\n${text}`.slice(0, 4 * maxDefinitionLength);
}

function* findImitations(
  name: string,
  connection: string,
  { connections, bySkeleton, byNearName }: HubNameIndex,
): Generator<ToolFlag> {
  const index = name.indexOf(toolSeparator);
  const imitatedConnection = index > 0 ? connections.get(toSkeleton(name.slice(0, index))) : undefined;
  if (imitatedConnection !== undefined && imitatedConnection !== connection)
    yield { kind: 'imitates', message: `its name starts like the tools of the connection ${imitatedConnection}` };
  const isAscii = /^[\x20-\x7e]*$/.test(name);
  const lookAlike = (bySkeleton.get(toSkeleton(name)) ?? []).find(
    (candidate) => candidate.tool !== name && (!isAscii || candidate.connection !== connection),
  );
  if (lookAlike)
    yield {
      kind: 'imitates',
      message: `its name looks like ${lookAlike.tool} of the connection ${lookAlike.connection}`,
    };
  const similarTool = [...listNearNames(name)]
    .flatMap((nearName) => byNearName.get(nearName) ?? [])
    .find((candidate) => candidate.connection !== connection && candidate.tool !== name);
  if (similarTool && !lookAlike)
    yield {
      kind: 'similar',
      message: `its name is close to ${similarTool.tool} of the connection ${similarTool.connection}`,
    };
}

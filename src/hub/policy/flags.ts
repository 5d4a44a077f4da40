/** What is odd about a tool's definition: hidden characters, names that imitate others, texts that are too large. */
import type { ToolFlag } from '../../contract/hub-policy-api.ts';
import { type ToolDefinition, toolSeparator } from '../words.ts';
import { definitionText, mostDefinitionLength, visible } from './definition.ts';

/** Tools with these are held back, also at first sight; the others are only told. */
const holding: readonly ToolFlag['kind'][] = ['hidden_characters', 'imitates', 'oversized'];

/** True where one of the flags holds the tool back. */
export function holdsBack(flags: readonly ToolFlag[]): boolean {
  return flags.some(({ kind }) => holding.includes(kind));
}

/** Zero width, bidirectional, tags, fillers, controls: nothing that a reader sees. Emoji have their selectors. */
const hiddenCharacters = /[[\p{DI}\p{Cc}]--[\t\n\r\u200C\u200D\uFE0E\uFE0F]]/v;
/** Joiners belong to emoji and to scripts that join their letters; behind a Latin letter they only hide. */
const strayJoiner = /(?:^|[\p{ASCII}])[\u200C\u200D]/v;

/** Letters that look like Latin ones (Unicode TS 39, those that come up in names), and digits like letters. */
const lookAlikes: Readonly<Record<string, string>> = {
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
export function skeletonOf(name: string): string {
  const letters = [...name.normalize('NFKC').replaceAll('I', 'l').toLowerCase()];
  const plain = letters.map((letter) => lookAlikes[letter] ?? letter).join('');
  return plain.normalize('NFD').replaceAll(/[\p{M}\p{Cf}_.\-\s]/gu, '');
}

/** A tool of the hub. */
export type OtherTool = { readonly connection: string; readonly tool: string };

/** The tools and connections of a hub, by what their names look like. */
export type Crowd = {
  readonly connections: ReadonlyMap<string, string>;
  readonly looks: ReadonlyMap<string, readonly OtherTool[]>;
  readonly near: ReadonlyMap<string, readonly OtherTool[]>;
};

/** Everything that a name becomes when a letter is left out: names that share one differ in one letter. */
function* withoutALetter(name: string): Generator<string> {
  if (name.length < 6 || name.length > 100) return;
  yield name;
  for (let at = 0; at < name.length; at += 1) yield name.slice(0, at) + name.slice(at + 1);
}

function added(map: Map<string, OtherTool[]>, key: string, tool: OtherTool): void {
  const known = map.get(key);
  if (known) known.push(tool);
  else map.set(key, [tool]);
}

/** Looks at a hub as a whole, once for many tools. */
export function crowdOf(tools: readonly OtherTool[], connections: readonly string[]): Crowd {
  const looks = new Map<string, OtherTool[]>();
  const near = new Map<string, OtherTool[]>();
  for (const one of tools) {
    added(looks, skeletonOf(one.tool), one);
    for (const part of withoutALetter(one.tool)) added(near, part, one);
  }
  return { connections: new Map(connections.map((name) => [skeletonOf(name), name])), looks, near };
}

/** The flags of a tool of `connection` among those of its hub. */
export function flagsOf(tool: ToolDefinition, connection: string, crowd: Crowd): ToolFlag[] {
  const text = definitionText(tool);
  const flags: ToolFlag[] = [];
  if (text.length > mostDefinitionLength || tool.name.length > mostNameLength)
    flags.push({ kind: 'oversized', message: `the definition is ${text.length} characters long` });
  const looked = readable(tool, text);
  const hidden = hiddenCharacters.exec(looked) ?? strayJoiner.exec(looked);
  if (hidden) flags.push({ kind: 'hidden_characters', message: `it holds ${visible(hidden[0])}, which nobody sees` });
  return [...flags, ...imitations(tool.name, connection, crowd)];
}

const mostNameLength = 128;

/** JSON escapes control characters, so the name and the description are looked at as they are. */
function readable(tool: ToolDefinition, text: string): string {
  const description = typeof tool.description === 'string' ? tool.description : '';
  return `${tool.name}\n${description}\n${text}`.slice(0, 4 * mostDefinitionLength);
}

function* imitations(name: string, connection: string, { connections, looks, near }: Crowd): Generator<ToolFlag> {
  const at = name.indexOf(toolSeparator);
  const posing = at > 0 ? connections.get(skeletonOf(name.slice(0, at))) : undefined;
  if (posing !== undefined && posing !== connection)
    yield { kind: 'imitates', message: `its name begins like the tools of the connection ${posing}` };
  const isPlain = /^[\x20-\x7e]*$/.test(name);
  const same = (looks.get(skeletonOf(name)) ?? []).find(
    (one) => one.tool !== name && (!isPlain || one.connection !== connection),
  );
  if (same)
    yield { kind: 'imitates', message: `its name looks like ${same.tool} of the connection ${same.connection}` };
  const close = [...withoutALetter(name)]
    .flatMap((part) => near.get(part) ?? [])
    .find((one) => one.connection !== connection && one.tool !== name);
  if (close && !same)
    yield { kind: 'similar', message: `its name is close to ${close.tool} of the connection ${close.connection}` };
}

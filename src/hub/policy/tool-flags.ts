/** Flags suspicious definitions: hidden characters, names that imitate others, prose that gives orders, oversized text. */
import type { ToolFlag } from '../../contract/hubs/policy-api.ts';
import { isObject } from '../../json/json-object.ts';
import { markHiddenCharacters } from '../../json/visible-text.ts';
import type { ItemKind, UpstreamItem } from '../connections/connection.ts';
import { findEncodedProse } from './encoded-text.ts';
import { findConfusableWord, findLookAlikes, type HubNameIndex, replaceLookAlikes } from './look-alikes.ts';
import { getItemKey, maxDefinitionDepth, maxDefinitionLength, serializeDefinition } from './tool-definition.ts';
import { findSuspiciousArgument, findSuspiciousProse, maxFindingLength } from './tool-prose.ts';

/** Flags that block a tool until it is approved, even when it is new; the others are only displayed. */
const blockingKinds: readonly ToolFlag['kind'][] = [
  'hidden_characters',
  'imitates',
  'oversized',
  'orders',
  'new_tool',
  'new_item',
];

export function isNewFlag({ kind }: ToolFlag): boolean {
  return kind === 'new_tool' || kind === 'new_item';
}

export function hasBlockingFlag(flags: readonly ToolFlag[]): boolean {
  return flags.some(({ kind }) => blockingKinds.includes(kind));
}

const kindNames: Readonly<Record<ItemKind, string>> = {
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  template: 'resource template',
};

/** For a definition that a known connection did not offer before. */
export function createNewFlag(kind: ItemKind): ToolFlag {
  return {
    kind: kind === 'tool' ? 'new_tool' : 'new_item',
    message: `its server added this ${kindNames[kind]} later, so an owner decides whether it is offered`,
  };
}

/** Zero-width, bidirectional, tag, filler and control characters. Single variation selectors and joiners belong to emoji. */
const hiddenCharacters = /[[\p{DI}\p{Cc}\p{Co}\p{Zl}\p{Zp}\uFFF9-\uFFFB]--[\t\n\r\u200C\u200D\uFE0E\uFE0F]]/v;
/** Joiners belong to emoji and to scripts that join letters; after a Latin letter, or several of them, they only hide. */
const strayJoiner =
  /(?:^|\p{ASCII})[\u200C\u200D]|[\u200C\u200D]{2,}|[\uFE0E\uFE0F]{2,}|[\u200C\u200D\uFE0E\uFE0F]{3,}/v;
/** What follows is out of sight where the text is displayed. */
const padding = [/(?:[^\S\n]|\u2800){40}/u, /(?:[^\S\n]{0,39}\n){12}/u];
/** The flags of England, Scotland and Wales are written with tag characters. */
const tagFlags = /\p{RGI_Emoji_Tag_Sequence}/gv;

const maxNameLength = 128;
/** Resources are named by their paths. */
const maxKeyLength = 4096;
/** Longer text is held for review as oversized, whatever its content. */
const maxSearchedLength = maxDefinitionLength;

/** All strings of a definition, names of members included, up to a total length. */
function collectTexts(item: UpstreamItem): string[] {
  const texts: string[] = [];
  const waiting: unknown[] = [item];
  let length = 0;
  for (let value = waiting.pop(); value !== undefined && length < maxSearchedLength; value = waiting.pop()) {
    if (typeof value === 'string') {
      texts.push(value.slice(0, maxSearchedLength - length));
      length += value.length;
    } else if (Array.isArray(value)) waiting.push(...value.slice(0, 10_000));
    else if (isObject(value)) waiting.push(...Object.entries(value).flat());
  }
  return texts;
}

const maxArguments = 500;

/** `name: description` of each argument, at any depth of the schema; arguments of a prompt are a list. */
function collectArgumentTexts({ inputSchema, arguments: promptArguments }: UpstreamItem): string[] {
  const texts: string[] = [];
  const add = (name: unknown, value: unknown): void => {
    if (!isObject(value)) return;
    const details = [value.title, value.description, value.default].filter((text) => typeof text === 'string');
    texts.push(`${String(name)}: ${details.join(' ')}`.slice(0, maxSearchedLength));
  };
  const waiting: unknown[] = [inputSchema];
  for (let schema = waiting.pop(); schema !== undefined && texts.length < maxArguments; schema = waiting.pop()) {
    if (!isObject(schema)) continue;
    for (const [name, value] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
      add(name, value);
      waiting.push(value);
    }
    waiting.push(schema.items);
  }
  if (Array.isArray(promptArguments)) for (const argument of promptArguments) add(Object(argument).name, argument);
  return texts;
}

/** The flags of a definition of `connection` among those of its hub. */
export async function findToolFlags(
  item: UpstreamItem,
  connection: string,
  nameIndex: HubNameIndex,
  kind: ItemKind = 'tool',
): Promise<ToolFlag[]> {
  const definition = serializeDefinition(item, kind);
  const flags: ToolFlag[] = [];
  const maxLength = kind === 'tool' || kind === 'prompt' ? maxNameLength : maxKeyLength;
  if (definition.text.length > maxDefinitionLength || getItemKey(kind, item).length > maxLength)
    flags.push({ kind: 'oversized', message: `the definition is ${definition.text.length} characters long` });
  if (definition.isTooDeep)
    flags.push({ kind: 'oversized', message: `the definition is nested deeper than ${maxDefinitionDepth} levels` });
  const texts = collectTexts(item);
  const withoutTagFlags = texts.map((text) => text.replaceAll(tagFlags, ''));
  const hidden = findFirst(withoutTagFlags, [hiddenCharacters, strayJoiner]);
  if (hidden !== undefined)
    flags.push({
      kind: 'hidden_characters',
      message: `it contains the invisible character ${markHiddenCharacters(hidden)}`,
    });
  if (findFirst(texts, padding) !== undefined)
    flags.push({
      kind: 'hidden_characters',
      message: 'it contains so much white space that what follows is out of sight',
    });
  flags.push(...listConcealments(texts));
  const orders = (await findSuspiciousProse(texts)) ?? findSuspiciousArgument(collectArgumentTexts(item));
  if (orders)
    flags.push({ kind: 'orders', message: `it ${orders.purpose}: “${markHiddenCharacters(orders.excerpt)}”` });
  return [...flags, ...findLookAlikes(item.name, connection, nameIndex)];
}

/** Text that a model reads otherwise than a person: in an encoding, or with letters that look like others. */
function* listConcealments(texts: readonly string[]): Generator<ToolFlag> {
  for (const text of texts) {
    const encoded = findEncodedProse(text);
    if (encoded) {
      const excerpt = markHiddenCharacters(encoded.text.slice(0, maxFindingLength));
      yield { kind: 'hidden_characters', message: `it contains prose written in ${encoded.encoding}: “${excerpt}”` };
      break;
    }
  }
  const hasLookAlikes = texts.some(
    (text) => replaceLookAlikes(text) !== text || findConfusableWord(text) !== undefined,
  );
  if (hasLookAlikes)
    yield { kind: 'hidden_characters', message: 'it contains letters of another script that look like Latin ones' };
}

function findFirst(texts: readonly string[], patterns: readonly RegExp[]): string | undefined {
  for (const text of texts)
    for (const pattern of patterns) {
      const match = pattern.exec(text);
      if (match) return match[0];
    }
  return undefined;
}

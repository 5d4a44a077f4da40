/** `## Metadata`: bullets `ID: x`, `**Layer**: x`, `**Tags:** a, b`. */
import type { ReportProblem } from '../check/check-kind.ts';
import { findSuggestion } from '../errors/suggestion.ts';
import { type LinePiece, trimPiece } from './blocks.ts';
import { parseBullet, stripCodeMarks } from './bullet.ts';
import { formatList } from './format-list.ts';
import { findLayer, layerDefinitions, suggestLayer } from './layers.ts';
import type { Section } from './outline.ts';
import type { Scenario } from './scenario.ts';

/** The keys with their meanings. */
export const metadataKeys = [
  {
    name: 'ID',
    required: true,
    meaning: 'unique; letters, digits, `.`, `_` and `-`, at most 100',
    example: 'RT-GET-document',
  },
  {
    name: 'Layer',
    required: true,
    meaning: 'what its checks may look at besides the response',
    example: 'HTTP Ingestion',
  },
  { name: 'Tags', required: false, meaning: 'words to choose scenarios by', example: 'http' },
  {
    name: 'Owner',
    required: false,
    meaning: 'person or team who looks after it, at most 100 characters',
    example: 'checkout team',
  },
  {
    name: 'Links',
    required: false,
    meaning: 'web addresses to read, separated by spaces, at most ten',
    example: 'https://wiki.example/orders',
  },
] as const;

type Key = (typeof metadataKeys)[number]['name'];

/** Values of the section; a problem was reported for each undefined one. */
export type Metadata = {
  readonly id: string | undefined;
  readonly layer: Scenario['layer'] | undefined;
  readonly tags: readonly string[];
  readonly owner: string | undefined;
  readonly links: readonly string[];
};

/** The parts of a bullet; the key as written. */
export type MetadataEntry = { readonly key: LinePiece; readonly value: LinePiece };

const mark = /^(?:\*{1,2}|_{1,2}|`)/;
/** The same as on the wire (contract). */
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const tagForm = /^[\p{L}\p{N}][\p{L}\p{N}._:/-]{0,49}$/u;
const maxOwnerLength = 100;
const maxLinks = 10;
const linkForm = /^https?:\/\/[!-~]{1,500}$/;
const keyNames = metadataKeys.map(({ name }) => name);

/** Splits the text of a bullet; undefined if it is not `key: value`. The marks around the key may close after the colon. */
export function readMetadataEntry({ text, start }: LinePiece): MetadataEntry | undefined {
  const colon = text.indexOf(':');
  if (colon <= 0) return undefined;
  const marks = mark.exec(text)?.[0] ?? '';
  const keyText = text.slice(0, colon).trimEnd();
  const closed = keyText.endsWith(marks);
  const opened = !closed && text.startsWith(marks, colon + 1);
  if (!closed && !opened) return undefined;
  const valueStart = colon + 1 + (opened ? marks.length : 0);
  return {
    key: trimPiece(
      keyText.slice(marks.length, closed ? keyText.length - marks.length : undefined),
      start + marks.length,
    ),
    value: stripCodeMarks(trimPiece(text.slice(valueStart), start + valueStart)),
  };
}

/** The key in the spelling of the table. */
export function findMetadataKey(written: string): Key | undefined {
  const normalized = written.toLowerCase();
  return keyNames.find((name) => name.toLowerCase() === normalized);
}

/** Reports an unknown key; returns the most similar key, if any. */
function misspelled({ text, start }: LinePiece, report: ReportProblem): Key | undefined {
  const near = findMetadataKey(findSuggestion(text, keyNames) ?? '');
  const cure = near === undefined ? `the keys are ${formatList(keyNames)}` : `did you mean \`${near}\`?`;
  report('SCENARIO_METADATA_UNKNOWN', start, start + text.length, { key: text, cure });
  return near;
}

function readId({ text, start }: LinePiece, report: ReportProblem): string | undefined {
  if (idForm.test(text)) return text;
  report('SCENARIO_ID_INVALID', start, start + text.length, { id: text });
  return undefined;
}

function readLayer({ text, start }: LinePiece, report: ReportProblem): Scenario['layer'] | undefined {
  const layer = findLayer(text);
  if (layer !== undefined) return layer;
  const near = suggestLayer(text);
  const names = formatList(layerDefinitions.map(({ name }) => name));
  const cure = near === undefined ? `the layers are ${names}` : `did you mean \`${near}\`?`;
  report('SCENARIO_LAYER_UNKNOWN', start, start + text.length, { layer: text.slice(0, 100), cure });
  return undefined;
}

/** Distinct words, separated by commas and spaces. */
function readTags({ text, start }: LinePiece, report: ReportProblem): readonly string[] {
  const tags = new Set<string>();
  for (const match of text.matchAll(/[^\s,`]+/g)) {
    const [tag] = match;
    if (tagForm.test(tag)) tags.add(tag);
    else report('SCENARIO_TAG_INVALID', start + match.index, start + match.index + tag.length, { tag });
  }
  return [...tags];
}

/** Empty is no owner. */
function readOwner({ text, start }: LinePiece, report: ReportProblem): string | undefined {
  if (text.length <= maxOwnerLength && !/\p{C}/u.test(text)) return text === '' ? undefined : text;
  report('SCENARIO_OWNER_INVALID', start, start + text.length, { owner: text.slice(0, maxOwnerLength) });
  return undefined;
}

/** Distinct addresses, also as `<address>`; only http and https, because pages make links of them. */
function readLinks({ text, start }: LinePiece, report: ReportProblem): readonly string[] {
  const links = new Set<string>();
  for (const match of text.matchAll(/[^\s,`]+/g)) {
    const [written] = match;
    const link = /^<(.*)>$/.exec(written)?.[1] ?? written;
    if (linkForm.test(link) && URL.canParse(link) && links.size < maxLinks) links.add(link);
    else report('SCENARIO_LINK_INVALID', start + match.index, start + match.index + written.length, { link: written });
  }
  return [...links];
}

function collect(section: Section, report: ReportProblem): Map<Key, LinePiece> {
  const values = new Map<Key, LinePiece>();
  for (const { kind, lines } of section.blocks) {
    if (kind === 'blank' || kind === 'comment' || kind === 'rule') continue;
    const [line] = lines;
    const text = kind === 'text' ? parseBullet(line) : undefined;
    const read = text && readMetadataEntry(text);
    if (read === undefined) {
      report('SCENARIO_METADATA_INVALID', line.start, line.end, { text: line.text.trim().slice(0, 60) });
      continue;
    }
    const key = findMetadataKey(read.key.text) ?? misspelled(read.key, report);
    if (key === undefined) continue;
    const end = read.key.start + read.key.text.length;
    if (values.has(key)) report('SCENARIO_METADATA_DOUBLED', read.key.start, end, { key });
    else values.set(key, read.value);
  }
  return values;
}

/** The value of a key with its position; undefined if the section does not have the key. */
export function findValuePiece(section: Section, key: Key): LinePiece | undefined {
  return collect(section, () => {}).get(key);
}

/** Parses the section; reports missing, duplicate, unknown and invalid entries. */
export function readMetadata(section: Section, report: ReportProblem): Metadata {
  const values = collect(section, report);
  const [line] = section.heading.lines;
  for (const { name, required, example } of metadataKeys) {
    const value = values.get(name);
    if (!required || (value !== undefined && value.text !== '')) continue;
    const start = value?.start ?? line.start;
    report('SCENARIO_METADATA_MISSING', start, value?.start ?? line.end, { key: name, example });
    values.delete(name);
  }
  const [id, layer, tags] = [values.get('ID'), values.get('Layer'), values.get('Tags')];
  const [owner, links] = [values.get('Owner'), values.get('Links')];
  return {
    id: id && readId(id, report),
    layer: layer && readLayer(layer, report),
    tags: tags === undefined ? [] : readTags(tags, report),
    owner: owner && readOwner(owner, report),
    links: links === undefined ? [] : readLinks(links, report),
  };
}

/**
 * The text without the entries that executors of the version before do not know. Their lines stay, as comments, so that
 * positions in reports are right.
 */
export function hideOwnership(text: string): string {
  const entry = /^[ \t]*[-*+][ \t]+[*_`]*(?:Owner|Links)[*_`]*[ \t]*:.*$/gim;
  const section = /^##[ \t]+Metadata\b[\s\S]*?(?=^##[ \t])/im;
  return text.replace(section, (metadata) => metadata.replaceAll(entry, '<!-- -->'));
}

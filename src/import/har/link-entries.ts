/**
 * Finds the values that recorded requests took from earlier answers: tokens, ids, cookies. They become captures, so that the scenario
 * uses what the application answers then. A value that some request had before any answer is input, and stays.
 */
import { parseSetCookie } from '../../check/forms/set-cookie.ts';
import { formatFieldPath } from '../../check/json/format-field-path.ts';
import { isList, isObjectValue, type Json, toStringForm } from '../../check/json/json.ts';
import type { SecretPlaceholders } from '../../scenario/secret-placeholders.ts';
import type { ImportedCapture, ImportedRequest } from '../imported.ts';
import { toPlaceholderName } from '../placeholder-names.ts';
import { splitUrl } from '../prepare-request.ts';

export type RecordedEntry = ImportedRequest;

/** A value of an answer; `index` is of its entry. */
type Origin = { readonly index: number; readonly key: string; readonly source: string; readonly path: string };

const maxLeaves = 2000;
const maxDepth = 12;

/** Distinctive enough that an equal value later is the same one. */
function isDistinctive(text: string): boolean {
  return (
    /^\d{5,}$/.test(text) ||
    (text.length >= 8 && /\d/.test(text) && /^[\w.~+/=-]+$/.test(text) && !/^\d{4}-\d{2}-\d{2}/.test(text))
  );
}

class EntryLinker {
  readonly #origins = new Map<string, Origin>();
  readonly #inputs = new Set<string>();
  readonly #names = new Map<string, string>();
  readonly #captures = new Map<number, ImportedCapture[]>();
  readonly #secrets: SecretPlaceholders;

  constructor(secrets: SecretPlaceholders) {
    this.#secrets = secrets;
  }

  link(entries: readonly RecordedEntry[]): readonly RecordedEntry[] {
    const linked = entries.map((entry, index) => {
      const result = this.#replaceIn(entry);
      this.#learn(entry, index);
      return result;
    });
    return linked.map((entry, index) => ({ ...entry, captures: this.#captures.get(index) ?? [] }));
  }

  #replaceIn(entry: RecordedEntry): RecordedEntry {
    const { origin, path } = splitUrl(entry.url);
    const [plain = '', query] = path.split(/\?(.*)/s);
    const segments = plain.split('/').map((segment, position, all) => {
      return this.#use(safeDecode(segment), all.slice(0, position).join('/')) ?? segment;
    });
    const pairs = query?.split('&').map((pair) => {
      const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
      const used = name === '' ? undefined : this.#use(safeDecode(value));
      return used === undefined ? pair : `${name}=${used}`;
    });
    return {
      ...entry,
      url: `${origin}${segments.join('/')}${pairs === undefined ? '' : `?${pairs.join('&')}`}`,
      headers: entry.headers.map(([name, value]) => [name, this.#replaceInHeader(name, value)] as const),
      body: this.#replaceInBody(entry.body),
    };
  }

  #replaceInHeader(name: string, value: string): string {
    if (name.toLowerCase() === 'cookie') return this.#replaceInCookies(value);
    const [, scheme = '', rest = value] = /^((?:Bearer|Token) )(.+)$/i.exec(value) ?? [];
    const used = this.#use(rest);
    return used === undefined ? value : `${scheme}${used}`;
  }

  /** Cookies that no answer set are secrets of the recording. */
  #replaceInCookies(value: string): string {
    const pairs = value.split(/;\s*/).filter(Boolean);
    return pairs
      .map((pair) => {
        const [, name = pair, text = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
        return `${name}=${this.#use(`cookie ${name}=${text}`) ?? this.#secrets.replace(`cookie_${name}`, text)}`;
      })
      .join('; ');
  }

  #replaceInBody(body: RecordedEntry['body']): RecordedEntry['body'] {
    if (body?.kind === 'form')
      return { ...body, fields: body.fields.map(([name, value]) => [name, this.#use(value) ?? value] as const) };
    if (body?.kind === 'multipart') {
      const parts = body.parts.map((part) =>
        'value' in part ? { ...part, value: this.#use(part.value) ?? part.value } : part,
      );
      return { ...body, parts };
    }
    if (body?.kind !== 'text' || !/^\s*[[{]/.test(body.text)) return body;
    const text = body.text
      .replaceAll(/(?<=[:[,]\s*)"((?:[^"\\]|\\.)*)"(?!\s*:)/g, (whole, value: string) => {
        const used = this.#use(value);
        return used === undefined ? whole : `"${used}"`;
      })
      .replaceAll(/(?<=[:[,]\s*)\d{5,}(?=\s*[,}\]])/g, (value) => this.#use(value) ?? value);
    return { ...body, text };
  }

  /** The placeholder for a value that an earlier answer had. `parent` is the path before a segment. */
  #use(value: string, parent?: string): string | undefined {
    const origin =
      this.#origins.get(value) ?? (parent === undefined ? undefined : this.#origins.get(`${parent}/${value}`));
    if (!origin) {
      this.#inputs.add(value);
      return undefined;
    }
    const key = `${origin.index} ${origin.source}`;
    const known = this.#names.get(key);
    if (known !== undefined) return `\${${known}}`;
    const name = this.#chooseName(origin);
    this.#names.set(key, name);
    const captures = this.#captures.get(origin.index) ?? [];
    this.#captures.set(origin.index, [...captures, { name, source: origin.source }]);
    return `\${${name}}`;
  }

  /** `id` of `/orders` is `order_id`. */
  #chooseName({ key, path }: Origin): string {
    const collection = path.split('/').findLast((segment) => /^[a-z][\w-]*$/i.test(segment)) ?? '';
    const singular = collection.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
    const name = toPlaceholderName(/^_?id$/i.test(key) && singular !== '' ? `${singular}_id` : key);
    const taken = new Set(this.#names.values());
    for (let number = 1; ; number += 1) {
      const candidate = number === 1 ? name : `${name}_${number}`;
      if (!taken.has(candidate)) return candidate;
    }
  }

  #learn(entry: RecordedEntry, index: number): void {
    const [response] = entry.responses;
    const path = splitUrl(entry.url).path.split('?', 1)[0] ?? '';
    for (const [name, line] of response?.headers ?? []) {
      if (name.toLowerCase() !== 'set-cookie') continue;
      const cookie = parseSetCookie(line);
      this.#add(`cookie ${cookie.name}=${cookie.value}`, {
        index,
        key: cookie.name,
        source: `cookie ${cookie.name}`,
        path,
      });
    }
    if (response?.body.kind !== 'json') return;
    for (const { steps, isIndex, value } of walkLeaves(response.body.value)) {
      const text = toStringForm(value);
      const key = steps.findLast((_, at) => !isIndex[at]) ?? 'value';
      const isId = /(?:^|_)id$|Id$/.test(key) && typeof value === 'number';
      if (!isDistinctive(text) && !isId) continue;
      const field = formatFieldPath(response.body.value, steps, isIndex);
      if (field === undefined) continue;
      const source = field.startsWith('[') ? `body${field}` : `body.${field}`;
      if (isDistinctive(text)) this.#add(text, { index, key, source, path });
      // A small number is an id only below the path that gave it.
      else this.#add(`${path.replace(/\/$/, '')}/${text}`, { index, key, source, path });
    }
  }

  #add(value: string, origin: Origin): void {
    if (!this.#inputs.has(value) && !this.#origins.has(value)) this.#origins.set(value, origin);
  }
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type JsonLeaf = { readonly steps: readonly string[]; readonly isIndex: readonly boolean[]; readonly value: Json };

/** Texts and numbers; of a list the first elements. */
function walkLeaves(root: Json): readonly JsonLeaf[] {
  const leaves: JsonLeaf[] = [];
  const visit = (value: Json, steps: readonly string[], isIndex: readonly boolean[]): void => {
    if (leaves.length >= maxLeaves || steps.length > maxDepth) return;
    if (isList(value))
      for (const [at, item] of value.slice(0, 20).entries()) visit(item, [...steps, String(at)], [...isIndex, true]);
    else if (isObjectValue(value))
      for (const [key, child] of Object.entries(value)) visit(child, [...steps, key], [...isIndex, false]);
    else if (value !== null && typeof value !== 'boolean') leaves.push({ steps, isIndex, value });
  };
  visit(root, [], []);
  return leaves;
}

export function linkEntries(entries: readonly RecordedEntry[], secrets: SecretPlaceholders): readonly RecordedEntry[] {
  return new EntryLinker(secrets).link(entries);
}

/** Collections of Postman, versions 2.0 and 2.1. */
import type { Json, JsonObject } from '../../check/json/json.ts';
import { isObjectValue } from '../../check/json/json.ts';
import { readJson } from '../../check/json/read-json.ts';
import type { SeenResponse } from '../../judge/prove/propose-checks.ts';
import { listSteps } from '../chain-requests.ts';
import type { HeaderLines, ImportedRequest, ImportedSource, ReportUntranslated, SourceFile } from '../imported.ts';
import { getMember, getText, listItems, toObject } from '../members.ts';
import { replaceBraces } from '../placeholder-names.ts';
import { toSeenBody } from '../recorded-body.ts';
import { readScript } from '../script-lines.ts';
import { readPostmanAuth } from './postman-auth.ts';
import { readPostmanBody } from './postman-body.ts';

type Collection = {
  /** `{{name}}` → its value in the collection, unless that is empty or secret. */
  readonly replace: (text: string) => string;
  readonly report: ReportUntranslated;
  readonly file: string;
};

type NamedRequest = ImportedRequest & { readonly folder: readonly string[]; readonly name: string };

const maxDepth = 20;

export function importPostman(files: readonly SourceFile[], report: ReportUntranslated): ImportedSource['chains'] {
  return files.flatMap((file) => {
    const root = parseJson(file.text);
    if (root === undefined || getMember(root, 'item') === undefined) {
      report(file.name, 'the file', 'it is not a collection of version 2: export it as “Collection v2.1”');
      return [];
    }
    const collection = { replace: createReplacer(root), report, file: file.name };
    const requests = readItems(root, [], getMember(root, 'auth'), collection, 0);
    return requests.map((trigger, index) => ({
      name: trigger.name,
      tags: ['http', ...trigger.folder.slice(0, 1).map(toTag).filter(Boolean)],
      steps: listSteps(requests, index),
      trigger,
      cleanup: [],
    }));
  });
}

export function parseJson(text: string): Json | undefined {
  try {
    return readJson(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

export function toTag(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}._:/-]+/gu, '-')
    .replaceAll(/^[-._:/]+|-+$/g, '')
    .slice(0, 50);
}

const sensitiveName = /token|secret|passw|api[-_]?key|credential/i;

function createReplacer(root: Json): Collection['replace'] {
  const values = new Map<string, string>();
  for (const variable of listItems(getMember(root, 'variable'))) {
    const name = getText(variable, 'key') || getText(variable, 'id');
    const value = getText(variable, 'value');
    const isUsable = value !== '' && !sensitiveName.test(name) && getText(variable, 'type') !== 'secret';
    if (name !== '' && isUsable && getMember(variable, 'disabled') !== true) values.set(name, value);
  }
  const replace = (text: string, depth = 0): string =>
    replaceBraces(text, (name) => {
      const value = values.get(name);
      if (name.startsWith('$')) return '${correlation_id}';
      return value === undefined || depth > 5 ? undefined : replace(value, depth + 1);
    });
  return (text) => replace(text);
}

/** The requests of a folder in their order; credentials are inherited. */
function readItems(
  parent: Json,
  folder: readonly string[],
  auth: Json | undefined,
  collection: Collection,
  depth: number,
): readonly NamedRequest[] {
  if (depth > maxDepth) return [];
  return listItems(getMember(parent, 'item')).flatMap((item): readonly NamedRequest[] => {
    const name = getText(item, 'name');
    const own = getMember(item, 'auth') ?? auth;
    if (getMember(item, 'item') !== undefined) return readItems(item, [...folder, name], own, collection, depth + 1);
    const request = getMember(item, 'request');
    if (request === undefined) return [];
    const read = readRequest(item, request, { name, folder, auth: own }, collection);
    return read ? [read] : [];
  });
}

type Position = { readonly name: string; readonly folder: readonly string[]; readonly auth: Json | undefined };

function readRequest(
  item: Json,
  value: Json,
  { name, folder, auth }: Position,
  collection: Collection,
): NamedRequest | undefined {
  const request: JsonObject = isObjectValue(value) ? value : { url: value };
  const label = [...folder, name].join(' / ');
  const { report, replace } = collection;
  const body = readPostmanBody(getMember(request, 'body'), replace, collection.file);
  if (body !== undefined && 'reason' in body) {
    report(label, 'the request', body.reason);
    return undefined;
  }
  const credential = readPostmanAuth(getMember(request, 'auth') ?? auth, replace);
  if ('reason' in credential) report(label, 'its authentication', credential.reason);
  const { headers: authHeaders, query } = 'reason' in credential ? { headers: [], query: [] } : credential;
  const { checks, captures } = readScript(listScripts(item, 'test', report, label), label, report);
  const own = readHeaders(getMember(request, 'header'), replace);
  const type = body?.type;
  const hasType = own.some(([header]) => header.toLowerCase() === 'content-type');
  const url = readUrl(request.url, replace);
  return {
    ...{ label, name, folder, checks, captures },
    method: getText(request, 'method') || 'GET',
    url: query.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${query.join('&')}`,
    headers: [...own, ...(type === undefined || hasType ? [] : [['Content-Type', type] as const]), ...authHeaders],
    body: body?.body,
    responses: listItems(getMember(item, 'response'))
      .flatMap((response) => readResponse(response) ?? [])
      .slice(0, 1),
  };
}

function listScripts(item: Json, listen: string, report: ReportUntranslated, label: string): string {
  const events = listItems(getMember(item, 'event'));
  const scripts = events
    .filter((event) => getText(event, 'listen') === listen)
    .map((event) => getMember(event, 'script', 'exec'));
  const before = events.some(
    (event) => getText(event, 'listen') === 'prerequest' && readLines(getMember(event, 'script', 'exec')).trim() !== '',
  );
  if (before) report(label, 'its pre-request script', 'a scenario runs no code: write what it prepares as STEPS');
  return scripts.map(readLines).join('\n');
}

function readLines(value: Json | undefined): string {
  return typeof value === 'string'
    ? value
    : listItems(value)
        .map((line) => getText(line))
        .join('\n');
}

function readHeaders(value: Json | undefined, replace: Collection['replace']): HeaderLines {
  if (typeof value === 'string')
    return value.split('\n').flatMap((line) => {
      const [, name, text] = /^([^:]+):(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name.trim(), replace((text ?? '').trim())] as const];
    });
  return listItems(value)
    .filter((header) => getMember(header, 'disabled') !== true)
    .map((header) => [getText(header, 'key'), replace(getText(header, 'value'))] as const);
}

/** `raw` with the variables of its path, `:id`; its disabled parameters are not in `raw`. */
function readUrl(value: Json | undefined, replace: Collection['replace']): string {
  const raw = typeof value === 'string' ? value : getText(value, 'raw') || joinUrl(toObject(value));
  const variables = new Map(
    listItems(getMember(value, 'variable')).map((each) => [
      getText(each, 'key') || getText(each, 'id'),
      getText(each, 'value'),
    ]),
  );
  const [plain = '', ...query] = raw.split('?');
  const path = plain.replaceAll(/(?<=\/):([\w-]+)/g, (_, name: string) => variables.get(name) || `{{${name}}}`);
  return replace([path, ...query].join('?'));
}

function joinUrl(url: JsonObject): string {
  const host =
    typeof url.host === 'string'
      ? url.host
      : listItems(url.host)
          .map((each) => getText(each))
          .join('.');
  const path =
    typeof url.path === 'string'
      ? url.path
      : listItems(url.path)
          .map((each) => getText(each))
          .join('/');
  const query = listItems(url.query)
    .filter((each) => getMember(each, 'disabled') !== true)
    .map((each) => `${getText(each, 'key')}=${getText(each, 'value')}`);
  return `${host}/${path.replace(/^\//, '')}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** A saved example. */
function readResponse(response: Json): SeenResponse | undefined {
  const status = Number(getText(response, 'code'));
  if (!Number.isInteger(status) || status < 100) return undefined;
  return { status, headers: [], body: toSeenBody(getText(response, 'body')) };
}

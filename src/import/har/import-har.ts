/** Recordings of browsers and proxies (HAR 1.2): calls of the API, with what they take from earlier answers as captures. */
import type { Json } from '../../check/json/json.ts';
import type { SecretPlaceholders } from '../../scenario/secret-placeholders.ts';
import { listSteps } from '../chain-requests.ts';
import type { HeaderLines, ImportedBody, ImportedSource, ReportUntranslated, SourceFile } from '../imported.ts';
import { getMember, getText, listItems } from '../members.ts';
import { escapeLiterals } from '../placeholder-names.ts';
import { parseJson } from '../postman/import-postman.ts';
import { splitUrl } from '../prepare-request.ts';
import { toSeenBody } from '../recorded-body.ts';
import { linkEntries, type RecordedEntry } from './link-entries.ts';
import { findBoundary, readParts, splitParts } from './recorded-parts.ts';

export function importHar(
  files: readonly SourceFile[],
  report: ReportUntranslated,
  secrets: SecretPlaceholders,
): ImportedSource['chains'] {
  return files.flatMap((file) => {
    const entries = listItems(getMember(parseJson(file.text), 'log', 'entries'));
    if (entries.length === 0) {
      report(file.name, 'the file', 'it is not a HAR recording, or has no entries');
      return [];
    }
    const calls = keepMainOrigin(keepCalls(entries, file.name, report), file.name, report);
    const requests = linkEntries(mergeRepeated(calls), secrets);
    return requests.map((trigger, index) => ({
      tags: ['http', 'recorded'],
      steps: listSteps(requests, index),
      trigger,
      cleanup: [],
    }));
  });
}

const pageTypes =
  /^(?:text\/(?:html|css|javascript)|application\/(?:javascript|x-javascript|wasm|font)|image\/|font\/|audio\/|video\/)/i;
const pageResources: ReadonlySet<string> = new Set(
  'document stylesheet image media font script texttrack manifest websocket eventsource other preflight'.split(' '),
);

/** Not pages, images, scripts and preflights: of these one line says how many there were. */
function keepCalls(entries: readonly Json[], file: string, report: ReportUntranslated): readonly RecordedEntry[] {
  const skipped = new Map<string, number>();
  const calls = entries.flatMap((entry, index): RecordedEntry[] => {
    const reason = findSkipReason(entry);
    if (reason === undefined) return [readEntry(entry, index + 1, file)];
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    return [];
  });
  for (const [reason, count] of skipped) report(file, `${count} ${count === 1 ? 'entry' : 'entries'}`, reason);
  return calls;
}

function findSkipReason(entry: Json): string | undefined {
  const method = getText(entry, 'request', 'method').toUpperCase();
  const status = Number(getText(entry, 'response', 'status'));
  const type = getText(entry, 'response', 'content', 'mimeType');
  const resource = getText(entry, '_resourceType').toLowerCase();
  if (!/^https?:/i.test(getText(entry, 'request', 'url'))) return 'not sent over HTTP';
  if (!(status >= 100 && status <= 599)) return 'no answer was recorded';
  if (method === 'OPTIONS') return 'a preflight of the browser';
  if (method === 'CONNECT') return 'a tunnel of the browser';
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (resource === 'xhr' || resource === 'fetch') return undefined;
  if (pageTypes.test(type) || pageResources.has(resource))
    return 'a page, image, style or script, not a call of the API';
  return status >= 300 && status < 400 && type === '' ? 'a redirect or a cached answer without content' : undefined;
}

function readEntry(entry: Json, number: number, file: string): RecordedEntry {
  const [request, response] = [getMember(entry, 'request'), getMember(entry, 'response')];
  const url = getText(request, 'url');
  const content = getMember(response, 'content');
  const text = getText(content, 'encoding') === 'base64' ? '' : getText(content, 'text');
  const status = Number(getText(response, 'status'));
  const headers = readHeaders(getMember(response, 'headers'));
  const method = getText(request, 'method').toUpperCase();
  const sent = readHeaders(getMember(request, 'headers'));
  return {
    label: `${method} ${splitUrl(url).path.split('?', 1)[0]?.slice(0, 70)} (entry ${number})`,
    ...{ method, url: escapeLiterals(url) },
    headers: sent.map(([name, value]) => [name, escapeLiterals(value)]),
    body: readBody(getMember(request, 'postData'), sent, file),
    ...{ checks: [], captures: [] },
    responses: [{ status, headers, body: toSeenBody(text) }],
  };
}

function readHeaders(value: Json | undefined): HeaderLines {
  return listItems(value).map((header) => [getText(header, 'name'), getText(header, 'value')] as const);
}

function readBody(data: Json | undefined, headers: HeaderLines, file: string): ImportedBody | undefined {
  const text = getText(data, 'text');
  const params = listItems(getMember(data, 'params'));
  const types = [
    getText(data, 'mimeType'),
    ...headers.flatMap(([name, value]) => (/^content-type$/i.test(name) ? value : [])),
  ];
  const [boundary] = types.flatMap((type) => findBoundary(type) ?? []);
  const parts = text !== '' && boundary !== undefined ? splitParts(text, boundary, file) : [];
  if (parts.length > 0) return { kind: 'multipart', parts };
  if (params.length > 0 && types.some((type) => /^\s*multipart\//i.test(type)))
    return { kind: 'multipart', parts: readParts(params, file) };
  if (text !== '') return { kind: 'text', text: escapeLiterals(text) };
  if (params.length === 0) return undefined;
  return {
    kind: 'form',
    fields: params.map((field) => [getText(field, 'name'), escapeLiterals(getText(field, 'value'))]),
  };
}

/** The host that was called most; calls of others are reported by host. */
function keepMainOrigin(
  entries: readonly RecordedEntry[],
  file: string,
  report: ReportUntranslated,
): readonly RecordedEntry[] {
  const counts = new Map<string, number>();
  for (const { url } of entries) counts.set(splitUrl(url).origin, (counts.get(splitUrl(url).origin) ?? 0) + 1);
  const [main, ...others] = [...counts].sort((a, b) => b[1] - a[1]);
  for (const [origin, count] of others)
    report(file, `${count} ${count === 1 ? 'call' : 'calls'} of ${origin}`, `the scenarios go to ${main?.[0]}`);
  return entries.filter(({ url }) => splitUrl(url).origin === main?.[0]);
}

/** The same request, sent again, is one scenario; its answers together show what is volatile. */
function mergeRepeated(entries: readonly RecordedEntry[]): readonly RecordedEntry[] {
  const merged = new Map<string, RecordedEntry>();
  for (const entry of entries) {
    const key = JSON.stringify([entry.method, entry.url, entry.body]);
    const before = merged.get(key);
    const [status, response] = [before?.responses[0]?.status, entry.responses[0]];
    if (!before) merged.set(key, entry);
    else if (response && response.status === status)
      merged.set(key, { ...before, responses: [...before.responses, response] });
  }
  return [...merged.values()];
}

/** An imported request as a scenario may send it: without its host, without secrets, without headers that are not its own. */
import { refusedHeaders } from '../scenario/refused-headers.ts';
import { httpMethods } from '../scenario/scenario.ts';
import type { DraftRequest } from '../scenario/scenario-draft.ts';
import { browserHeader, type SecretPlaceholders } from '../scenario/secret-placeholders.ts';
import { literalDollar } from '../scenario/shell-lexer.ts';
import type { HeaderLines, ImportedBody, ImportedRequest, ReportUntranslated } from './imported.ts';
import { prepareMultipart, type UploadNames } from './prepare-multipart.ts';

/** `origin` is scheme and host, or the placeholder for them; empty for a path alone. */
export type SplitUrl = { readonly origin: string; readonly path: string };

const addressForm = /^((?:[a-z][a-z0-9+.-]*:)?\/\/(?:[^@/?#]*@)?[^/?#]*|\$\{\w+\}(?::\d+)?)?([^#]*)/i;

/** The host may be a placeholder, as in `${BASE_URL}/path`, or come without a scheme, as in `localhost:3000/path`. */
export function splitUrl(url: string): SplitUrl {
  const text = url.trim();
  const bare = /^[\w.-]+(?::\d+)?(?=[/?]|$)/.exec(text);
  if (!text.includes('://') && !text.startsWith('/') && bare && /[.:]|^localhost/.test(bare[0]))
    return { origin: `http://${bare[0]}`, path: toRooted(text.slice(bare[0].length).split('#', 1)[0] ?? '') };
  const [, origin = '', path = ''] = addressForm.exec(text) ?? [];
  return { origin: origin.replace(/\/\/[^@/]*@/, '//'), path: toRooted(path) };
}

function toRooted(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

/** Undefined, with a report, for a request that no scenario can send. */
export function prepareRequest(
  request: ImportedRequest,
  secrets: SecretPlaceholders,
  uploads: UploadNames,
  report: ReportUntranslated,
): DraftRequest | undefined {
  const { label } = request;
  const method = httpMethods.find((each) => each === request.method.toUpperCase());
  if (!method) {
    report(label, `the method ${request.method.slice(0, 40)}`, `a scenario can send ${httpMethods.join(', ')}`);
    return undefined;
  }
  const { path } = splitUrl(request.url);
  const headers = prepareHeaders(request, secrets, report);
  const body =
    request.body?.kind === 'multipart'
      ? prepareMultipart(request.body.parts, secrets, uploads, (item, note) => report(label, item, note))
      : prepareBody(request.body, headers, secrets, (note) => report(label, 'its body', note));
  const ownHeaders = body.fence === undefined ? headers : withoutType(headers);
  return { method, path: secrets.concealPath(normalizeQuery(path)), headers: ownHeaders, ...body };
}

/** Spaces of a query are written `%20`, so that no check of the path refuses them. */
function normalizeQuery(path: string): string {
  return path.replaceAll(' ', '%20');
}

function withoutType(headers: HeaderLines): HeaderLines {
  return headers.filter(([name]) => name.toLowerCase() !== 'content-type');
}

function prepareHeaders(
  { label, headers, isWritten }: ImportedRequest,
  secrets: SecretPlaceholders,
  report: ReportUntranslated,
) {
  const own: (readonly [string, string])[] = [];
  const seenNames = new Set<string>();
  for (const [name, value] of headers) {
    const key = name.trim().toLowerCase();
    const refusal = refusedHeaders.get(key) ?? (key === 'x-request-id' ? 'it has the id of the run' : undefined);
    if (isWritten && refusal !== undefined) report(label, `the header ${name.slice(0, 60)}`, refusal);
    if (key === '' || refusal !== undefined || (!isWritten && browserHeader.test(key))) continue;
    const isSingle = ['authorization', 'content-type'].includes(key);
    if (/[\r\n]/.test(value) || /[^\0-\u00ff]/.test(value) || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key))
      report(label, `the header ${name.slice(0, 60)}`, 'it cannot stand in one line of a scenario');
    else if (value.includes(literalDollar))
      report(label, `the header ${name.slice(0, 60)}`, 'its value has a literal `${`, which begins a placeholder');
    else if (!(isSingle && seenNames.has(key)))
      own.push([name.trim(), secrets.concealHeader(name.trim(), value.trim())]);
    else if (isWritten) report(label, `the header ${name.slice(0, 60)}`, 'it may stand there once');
    seenNames.add(key);
  }
  return own;
}

function prepareBody(
  body: Exclude<ImportedBody, { kind: 'multipart' }> | undefined,
  headers: HeaderLines,
  secrets: SecretPlaceholders,
  note: (text: string) => void,
): Pick<DraftRequest, 'body' | 'fence'> {
  if (body === undefined) return {};
  if (body.kind === 'text') {
    const text = body.text.replaceAll('\r\n', '\n');
    return text.trim() === '' ? {} : { body: secrets.concealBody(text, headers, note) };
  }
  if (body.kind === 'graphql') {
    const variables = secrets.concealBody(body.variables, [['content-type', 'application/json']], note);
    const query = body.query.trim().replaceAll(literalDollar, '$');
    return { fence: 'graphql', body: variables.trim() === '' ? query : `${query}\n\nvariables\n${variables.trim()}` };
  }
  const lines = body.fields.map(([name, value]) => `${name} = ${secrets.conceal(name, value)}`);
  const text = lines.join('\n');
  if (!body.fields.some(([name, value]) => /[\r\n=]/.test(name) || /[\r\n]/.test(value) || name.trim() !== name))
    return { fence: 'form', body: text.replaceAll(literalDollar, '$') };
  const pairs = body.fields.map(([name, value]) => `${encodeField(name)}=${encodeField(secrets.conceal(name, value))}`);
  return { body: pairs.join('&') };
}

/** Percent-encoded, but for placeholders. */
function encodeField(text: string): string {
  return text
    .split(/(\$\{\w+\})/)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part.replaceAll(literalDollar, '$'))))
    .join('');
}

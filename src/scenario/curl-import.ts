/**
 * Makes a request of a curl command, as browsers and API documentation give it. Secrets become placeholders, so that a
 * pasted command never puts one into the catalogue.
 * Length: one pass over the options of one command, which share what was read so far.
 */
import { findCurlOption } from './curl-options.ts';
import { explainUnwritable, formatMultipartLine, type MultipartPart, toUploadFileName } from './multipart-line.ts';
import { refusedHeaders } from './refused-headers.ts';
import { httpMethods, type Method } from './scenario.ts';
import type { DraftRequest } from './scenario-draft.ts';
import { browserHeader, SecretPlaceholders } from './secret-placeholders.ts';
import { literalDollar, splitShellWords } from './shell-lexer.ts';
import { timeoutLimits } from './timeout.ts';

/** `variables` are the names that the request needs values for; `notes` say what was changed or left out. */
export type CurlImport = {
  readonly request: DraftRequest;
  /** Scheme, host and port of the command; the scenario has those of the environment. */
  readonly origin: string;
  readonly variables: readonly string[];
  readonly notes: readonly string[];
  /** The body, where it is multipart; the request has it as lines too. */
  readonly parts: readonly MultipartPart[];
};

type Header = readonly [name: string, value: string];

class CurlReader {
  method: Method | undefined;
  url: string | undefined;
  readonly headers: Header[] = [];
  readonly data: string[] = [];
  readonly parts: MultipartPart[] = [];
  timeoutS: number | undefined;
  isGet = false;
  readonly notes: string[] = [];
  readonly secrets: SecretPlaceholders;

  constructor(secrets: SecretPlaceholders) {
    this.secrets = secrets;
  }

  addHeader(line: string): void {
    const [, name = '', value = ''] = /^([^:;]+)[:;]\s*([\s\S]*)$/.exec(line) ?? [];
    const trimmed = name.trim();
    if (trimmed === '') this.notes.push(`The header “${line.slice(0, 60)}” has no name and was left out.`);
    else if (refusedHeaders.has(trimmed.toLowerCase()) || browserHeader.test(trimmed))
      this.droppedHeaders.push(trimmed);
    else this.headers.push([trimmed, this.secrets.concealHeader(trimmed, value.trim())]);
  }

  readonly droppedHeaders: string[] = [];

  listVariables(...texts: readonly (string | undefined)[]): readonly string[] {
    const variables = new Set<string>();
    for (const text of texts)
      for (const [, name = ''] of (text ?? '').matchAll(/\$\{(\w+)\}/g))
        if (name !== 'correlation_id' && name !== 'INGESTION_URL') variables.add(name);
    return [...variables].sort();
  }
}

function addData(reader: CurlReader, value: string, readsFiles: boolean): void {
  if (readsFiles && value.startsWith('@'))
    reader.notes.push(`The body is in the file ${value.slice(1) || '(none)'}: paste its text below the header lines.`);
  else reader.data.push(value);
}

/** `readsFiles`: a value may name a file, and have options. */
function addPart(reader: CurlReader, text: string, readsFiles: boolean): void {
  const [, name = '', value = ''] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? [];
  const [, sign = '', path = '', options = ''] =
    (readsFiles ? /^([@<])"?([^";]*)"?((?:;[^;]*)*)$/.exec(value) : undefined) ?? [];
  const option = (key: string): string | undefined =>
    new RegExp(`;\\s*${key}\\s*=\\s*"?([^";]*)`).exec(options)?.[1]?.trim() || undefined;
  if (sign === '@') {
    const files = path.split(',');
    for (const file of files)
      reader.parts.push({ name, path: file.trim(), type: option('type'), filename: option('filename') });
  } else if (sign === '<')
    reader.notes.push(`The value of the field ${name} is in the file ${path}: write it in its line.`);
  else {
    const own = readsFiles ? value.replace(/;type=[^;]*$/, '').replace(/^"([\s\S]*)"$/, '$1') : value;
    reader.parts.push({ name, value: reader.secrets.conceal(name, own.replaceAll(literalDollar, '$')) });
  }
}

function formatParts({ parts, notes }: CurlReader): string {
  const lines = parts.flatMap((part) => {
    const problem = explainUnwritable(part);
    if (problem !== undefined) notes.push(`The field ${part.name.slice(0, 60)} was left out: ${problem}.`);
    if (problem !== undefined || 'value' in part) return problem === undefined ? [formatMultipartLine(part)] : [];
    const file = toUploadFileName(part.path, part.name);
    notes.push(`The file ${part.path} is sent: put it beside the scenario as ${file}.`);
    return [formatMultipartLine(part, file)];
  });
  return lines.join('\n');
}

function encodeData(value: string): string {
  const [, name, text] = /^([^=@]*)=([\s\S]*)$/.exec(value) ?? [];
  if (text === undefined) return encodeURIComponent(value);
  return name === '' ? encodeURIComponent(text) : `${name}=${encodeURIComponent(text)}`;
}

const hasHeader = (headers: readonly Header[], name: string): boolean =>
  headers.some(([each]) => each.toLowerCase() === name);

/** Applies an option. Returns a problem that makes the import impossible. */
function applyOption(reader: CurlReader, name: string, value: string): string | undefined {
  switch (name) {
    case 'request': {
      const method = httpMethods.find((each) => each === value.toUpperCase());
      if (!method) return `${value} is not a method that a scenario can use`;
      reader.method = method;
      return undefined;
    }
    case 'url':
      if (reader.url === undefined) reader.url = value;
      else reader.notes.push('A scenario sends one request: only the first address was taken.');
      return undefined;
    case 'header':
      if (value.startsWith('@')) reader.notes.push(`The headers in the file ${value.slice(1)} were left out.`);
      else reader.addHeader(value);
      return undefined;
    case 'data':
      addData(reader, value, true);
      return undefined;
    case 'data-raw':
      addData(reader, value, false);
      return undefined;
    case 'data-urlencode':
      addData(reader, encodeData(value), false);
      return undefined;
    case 'json':
      addData(reader, value, true);
      if (!hasHeader(reader.headers, 'content-type')) reader.headers.push(['Content-Type', 'application/json']);
      if (!hasHeader(reader.headers, 'accept')) reader.headers.push(['Accept', 'application/json']);
      return undefined;
    case 'user':
      reader.headers.push(['Authorization', `Basic ${reader.secrets.replace('BASIC_CREDENTIALS', value)}`]);
      reader.notes.push('BASIC_CREDENTIALS is the Base64 form of user:password.');
      return undefined;
    case 'oauth2-bearer':
      reader.addHeader(`Authorization: Bearer ${value}`);
      return undefined;
    case 'cookie':
      reader.addHeader(`Cookie: ${value}`);
      return undefined;
    case 'referer':
      reader.addHeader(`Referer: ${value}`);
      return undefined;
    case 'range':
      reader.addHeader(`Range: bytes=${value}`);
      return undefined;
    case 'max-time': {
      const seconds = Math.ceil(Number(value));
      if (seconds > 0) reader.timeoutS = Math.min(timeoutLimits.maxSeconds, Math.max(timeoutLimits.least, seconds));
      return undefined;
    }
    case 'get':
      reader.isGet = true;
      return undefined;
    case 'head':
      reader.method ??= 'HEAD';
      return undefined;
    case 'location':
      reader.notes.push('Redirects are not followed: the first response is judged.');
      return undefined;
    case 'form':
    case 'form-string':
      addPart(reader, value, name === 'form');
      return undefined;
    case 'upload-file':
      reader.method ??= 'PUT';
      reader.notes.push(`The body is in the file ${value}: paste its text below the header lines.`);
      return undefined;
    default:
      return undefined;
  }
}

/** Reads the words after `curl`. Returns a problem. */
function readArguments(reader: CurlReader, words: readonly string[]): string | undefined {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!word.startsWith('-') || word === '-') {
      const problem = applyOption(reader, 'url', word);
      if (problem !== undefined) return problem;
      continue;
    }
    const options = findCurlOption(word);
    if (options === undefined) {
      reader.notes.push(`The option ${word} is not known and was left out.`);
      continue;
    }
    for (const { name, takesValue, value } of options) {
      if (takesValue && value === undefined) index += 1;
      const problem = applyOption(reader, name, value ?? (takesValue ? (words[index] ?? '') : ''));
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

type Address = { readonly origin: string; readonly path: string; readonly credentials: string };

function parseAddress(url: string): Address {
  const [, scheme = 'http', credentials = '', host = '', rest = ''] =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?(?:([^@/?#]*)@)?([^/?#]*)([^#]*)/i.exec(url) ?? [];
  // The host may be a variable of the shell, as in "$BASE_URL/path".
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return { origin: host.startsWith('$') ? host : `${scheme}://${host}`, path, credentials };
}

function buildImport(reader: CurlReader, url: string): CurlImport {
  const { origin, path, credentials } = parseAddress(url);
  if (credentials !== '' && !hasHeader(reader.headers, 'authorization')) applyOption(reader, 'user', credentials);
  const data = reader.data.join('&');
  const sendsBody = reader.data.length > 0 && !reader.isGet;
  const target = reader.isGet && data !== '' ? `${path}${path.includes('?') ? '&' : '?'}${data}` : path;
  if (sendsBody && !hasHeader(reader.headers, 'content-type'))
    reader.headers.push(['Content-Type', 'application/x-www-form-urlencoded']);
  const isMultipart = reader.parts.length > 0;
  const plainBody = sendsBody
    ? reader.secrets.concealBody(data, reader.headers, (note) => reader.notes.push(note))
    : undefined;
  const body = isMultipart ? formatParts(reader) : plainBody;
  const requestPath = reader.secrets.concealPath(target);
  const headers = reader.headers
    .filter(([name]) => !isMultipart || name.toLowerCase() !== 'content-type')
    .map(([name, value]): Header => [name, value.replaceAll(literalDollar, '$')]);
  if (reader.droppedHeaders.length > 0) reader.notes.push(`Left out: ${reader.droppedHeaders.join(', ')}.`);
  const variables = reader.listVariables(requestPath, body, ...headers.map(([, value]) => value));
  const method = reader.method ?? (sendsBody || isMultipart ? 'POST' : 'GET');
  const { timeoutS, notes } = reader;
  const fence = isMultipart ? 'multipart' : undefined;
  const request = { method, path: requestPath, headers, body, fence, timeoutS } as const;
  return { request, origin, variables, notes, parts: reader.parts };
}

/** Parses a curl command; `problem` says why it cannot be imported. */
export function parseCurlCommand(
  command: string,
  secrets = new SecretPlaceholders(),
): CurlImport | { readonly problem: string } {
  if (/\^\r?\n|\^"/.test(command))
    return { problem: 'this command was copied for cmd.exe: choose “Copy as cURL (bash)” in the browser' };
  const split = splitShellWords(command.trim().replace(/^[$#>]\s+/, ''));
  if ('problem' in split) return split;
  const start = split.words.findIndex((word) => /(?:^|\/)curl(?:\.exe)?$/.test(word));
  if (start === -1) return { problem: 'this is not a curl command: it must begin with curl' };
  const reader = new CurlReader(secrets);
  const problem = readArguments(reader, split.words.slice(start + 1));
  if (problem !== undefined) return { problem };
  return reader.url === undefined ? { problem: 'the command has no address' } : buildImport(reader, reader.url);
}

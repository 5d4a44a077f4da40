/** The body of a request of a collection. */
import type { Json } from '../../check/json/json.ts';
import type { ImportedBody, ImportedPart } from '../imported.ts';
import { getMember, getText, listItems } from '../members.ts';

/** `type`: the media type, where the request has no header for it. */
export type PostmanBody =
  | { readonly body: ImportedBody; readonly type: string | undefined }
  | { readonly reason: string };

const languages: Readonly<Record<string, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  html: 'text/html',
  text: 'text/plain',
  javascript: 'application/javascript',
};

export function readPostmanBody(
  body: Json | undefined,
  replace: (text: string) => string,
  source: string,
): PostmanBody | undefined {
  const mode = getText(body, 'mode');
  if (body === undefined || mode === '' || getMember(body, 'disabled') === true) return undefined;
  if (mode === 'raw') {
    const text = getText(body, 'raw');
    if (text.trim() === '') return undefined;
    const language = getText(body, 'options', 'raw', 'language');
    const guess = /^\s*[[{]/.test(text) ? 'application/json' : 'text/plain';
    return { body: { kind: 'text', text: replace(text) }, type: languages[language] ?? guess };
  }
  if (mode === 'urlencoded') {
    const fields = listItems(getMember(body, 'urlencoded'))
      .filter((field) => getMember(field, 'disabled') !== true)
      .map((field) => [getText(field, 'key'), replace(getText(field, 'value'))] as const);
    return fields.length === 0 ? undefined : { body: { kind: 'form', fields }, type: undefined };
  }
  if (mode === 'graphql') {
    const variables = getText(body, 'graphql', 'variables');
    return {
      body: { kind: 'graphql', query: getText(body, 'graphql', 'query'), variables: replace(variables) },
      type: undefined,
    };
  }
  if (mode === 'formdata') {
    const fields = listItems(getMember(body, 'formdata')).filter((field) => getMember(field, 'disabled') !== true);
    const parts = fields.flatMap((field) => readPart(field, replace, source));
    return parts.length === 0 ? undefined : { body: { kind: 'multipart', parts }, type: undefined };
  }
  return { reason: `a body of the mode ${mode} is not imported` };
}

/** `src` is the path of a file, or several; null where none was chosen. */
function readPart(field: Json, replace: (text: string) => string, source: string): readonly ImportedPart[] {
  const name = replace(getText(field, 'key'));
  const type = getText(field, 'contentType') || undefined;
  if (getText(field, 'type') !== 'file') return [{ name, value: replace(getText(field, 'value')), source }];
  const src = getMember(field, 'src');
  const paths = listItems(src).map((path) => getText(path));
  const named = paths.length > 0 ? paths : [getText(src)];
  return named.map((path) => ({
    name,
    path: replace(path),
    type,
    filename: getText(field, 'fileName') || undefined,
    source,
  }));
}

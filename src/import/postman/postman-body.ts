/** The body of a request of a collection. */
import type { Json } from '../../check/json/json.ts';
import type { ImportedBody } from '../imported.ts';
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

export function readPostmanBody(body: Json | undefined, replace: (text: string) => string): PostmanBody | undefined {
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
  return {
    reason: mode === 'formdata' ? 'a multipart body is not imported' : `a body of the mode ${mode} is not imported`,
  };
}

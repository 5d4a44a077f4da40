/** Paths of other tools, `$.items[0].id` and `items[0]['id']`, as fields of checks. */
import { parseField } from '../check/json/parse-field-path.ts';

/** `isList`: the path goes through all elements of a list; `endsInList`: and they are what it names. */
export type ImportedPath = { readonly field: string; readonly isList: boolean; readonly endsInList?: boolean };

const plainKey = /^[^.[\]"'`\s<>=!~$\\][^.[\]"'`\s<>=!~\\]*$/;
const token = /^(?:\.?\[(\d+)\]|\.?\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]|\.?\[\*\]|\.\*|\.([^.[\]\s]+))/;

/** Undefined for filters, slices, `..` and elements from the end, which no field names. */
export function toFieldPath(path: string): ImportedPath | undefined {
  let rest = path.trim().replace(/^\$/, '');
  if (rest !== '' && !/^[.[]/.test(rest)) rest = `.${rest}`;
  let field = '';
  let isList = false;
  let endsInList = false;
  while (rest !== '') {
    const match = token.exec(rest);
    if (match === null) return undefined;
    const [whole, index, single, double, name] = match;
    const key = name ?? (single === undefined ? double : single)?.replaceAll(/\\(.)/g, '$1');
    endsInList = index === undefined && key === undefined;
    if (index !== undefined) field += `[${index}]`;
    else if (endsInList) isList = true;
    else if (key !== undefined)
      field += plainKey.test(key) ? `${field === '' ? '' : '.'}${key}` : `[${JSON.stringify(key)}]`;
    rest = rest.slice(whole.length);
  }
  if (field === '') return { field, isList, endsInList };
  return 'steps' in parseField(field) ? { field, isList, endsInList } : undefined;
}

/** A line of a fence `multipart`: `name = value`, or `name = @file` with the options of curl, `; type=` and `; filename=`. */

/** `at` is where the value begins in the line. A value that begins with `@@` is a text that begins with `@`. */
export type MultipartLine =
  | { readonly kind: 'text'; readonly name: string; readonly at: number }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly path: string;
      readonly at: number;
      readonly type: string | undefined;
      readonly filename: string | undefined;
    };

const field = /^(\s*([^\s=][^=]*?)\s*=\s*)(.*)$/;
const file = /^@([^;]*)((?:;\s*(?:type|filename)\s*=\s*[^;]*)*)$/;

/** A text says why the line cannot be read; undefined for an empty one. */
export function parseMultipartLine(text: string): MultipartLine | string | undefined {
  if (text.trim() === '') return undefined;
  const [, lead = '', name = '', value = ''] = field.exec(text) ?? [];
  if (name === '') return 'a line has no `=` after a name';
  if (value.startsWith('@@')) return { kind: 'text', name, at: lead.length + 1 };
  if (!value.startsWith('@')) return { kind: 'text', name, at: lead.length };
  const [, path = '', options = ''] = file.exec(value) ?? [];
  if (path.trim() === '') return 'after `@` there is no name of a file, or an option other than `type` and `filename`';
  const option = (key: string): string | undefined =>
    new RegExp(`;\\s*${key}\\s*=\\s*([^;]*)`).exec(options)?.[1]?.trim() || undefined;
  return {
    kind: 'file',
    name,
    path: path.trim(),
    at: lead.length,
    type: option('type'),
    filename: option('filename'),
  };
}

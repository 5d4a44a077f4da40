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

/** A part as another tool has it: a field, or a file that is sent. `path` is as that tool writes it. */
export type MultipartPart =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string;
      readonly path: string;
      readonly type?: string | undefined;
      readonly filename?: string | undefined;
    };

/** Why no line can say the part; undefined where one can. */
export function explainUnwritable(part: MultipartPart): string | undefined {
  const texts = 'value' in part ? [part.name, part.value] : [part.name, part.type ?? '', part.filename ?? ''];
  if (texts.some((text) => /[\r\n]/.test(text))) return 'a line of a multipart body has no line break';
  if (part.name.trim() === '' || /=/.test(part.name)) return 'its name is empty or has a `=`';
  const options = 'value' in part ? [] : [part.type ?? '', part.filename ?? ''];
  return options.some((text) => text.includes(';')) ? 'the type or name of a file has a `;`' : undefined;
}

/** The line of a part; `file` is where the file is beside the scenario. */
export function formatMultipartLine(part: MultipartPart, file = ''): string {
  if ('value' in part) return `${part.name} = ${part.value.startsWith('@') ? '@' : ''}${part.value}`;
  const name = file.split('/').at(-1);
  const type = part.type ? `; type=${part.type}` : '';
  return `${part.name} = @${file}${type}${part.filename && part.filename !== name ? `; filename=${part.filename}` : ''}`;
}

/** A name for a file in the folder of the scenarios, from the path that another tool has for it. */
export function toUploadFileName(path: string, fallback: string): string {
  const last = /\$\{/.test(path) ? '' : (path.split(/[\\/]/).at(-1) ?? '');
  const usable = last
    .replaceAll(/[^\p{L}\p{N}._ -]+/gu, '-')
    .replace(/^[.\s-]+/, '')
    .trim();
  return usable === '' ? `${fallback.replaceAll(/[^\w-]+/g, '-') || 'file'}.bin` : usable;
}

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

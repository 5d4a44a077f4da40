/** The parts of a recorded multipart body. Browsers leave the content of files out, or what is not text in it. */
import type { Json } from '../../check/json/json.ts';
import type { ImportedPart } from '../imported.ts';
import { getText } from '../members.ts';
import { escapeLiterals } from '../placeholder-names.ts';

/** Undefined where the type is not multipart, or has no boundary. */
export function findBoundary(type: string): string | undefined {
  if (!/^\s*multipart\/form-data\b/i.test(type)) return undefined;
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? [];
  return quoted ?? plain;
}

/** A file whose content is text, and all there; */
function keepContent(content: string): string | undefined {
  return content === '' || /[\uFFFD\0]/.test(content) ? undefined : content;
}

function readParameter(disposition: string, name: string): string | undefined {
  const value = new RegExp(`[;\\s]${name}="((?:[^"\\\\]|\\\\.)*)"`, 'i').exec(disposition)?.[1];
  return value?.replaceAll('%22', '"').replaceAll(/\\(["\\])/g, '$1');
}

/** The body as it was sent (RFC 7578). */
export function splitParts(text: string, boundary: string, source: string): readonly ImportedPart[] {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const sections = `${newline}${text}`.split(`${newline}--${boundary}`).slice(1);
  return sections.flatMap((section): ImportedPart[] => {
    const end = section.indexOf(newline + newline);
    if (section.startsWith('--') || end === -1) return [];
    const head = section.slice(0, end);
    const content = section.slice(end + 2 * newline.length);
    const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? '';
    const name = readParameter(disposition, 'name') ?? '';
    const filename = readParameter(disposition, 'filename');
    if (filename === undefined) return [{ name, value: escapeLiterals(content), source }];
    const type = /^content-type:\s*(.*?)\s*$/im.exec(head)?.[1];
    return [{ name, path: filename, type, source, content: keepContent(content) }];
  });
}

/** The list that a recording has in place of the text. */
export function readParts(params: readonly Json[], source: string): readonly ImportedPart[] {
  return params.map((field): ImportedPart => {
    const [name, value, path] = [getText(field, 'name'), getText(field, 'value'), getText(field, 'fileName')];
    if (path === '') return { name, value: escapeLiterals(value), source };
    return { name, path, type: getText(field, 'contentType') || undefined, source, content: keepContent(value) };
  });
}

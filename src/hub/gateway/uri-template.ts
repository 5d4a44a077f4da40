/** Whether a URI can come from a URI template (RFC 6570), so that reading it is reading what its server offers. */
import { compilePattern, type Pattern } from '../../pattern/pattern.ts';

const expression = /\{([+#./;?&]?)([^{}]*)\}/gu;
const maxTemplateLength = 4096;

/** What an expression with this operator may become, as a pattern in RE2 syntax. */
const expansions: Readonly<Record<string, string>> = {
  '': '[^/?#]*',
  '+': '.*',
  '#': '(?:#.*)?',
  '.': '(?:\\.[^/?#]*)?',
  '/': '(?:/[^?#]*)?',
  ';': '(?:;[^/?#]*)?',
  '?': '(?:\\?[^#]*)?',
  '&': '(?:&[^#]*)?',
};

function escapeLiteral(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, '\\$&');
}

const compiled = new Map<string, Pattern | undefined>();
const maxCompiled = 10_000;

function compileTemplate(template: string): Pattern | undefined {
  let [source, end] = ['', 0];
  for (const { 0: text, 1: operator = '', index } of template.matchAll(expression)) {
    source += escapeLiteral(template.slice(end, index)) + (expansions[operator] ?? '[^/?#]*');
    end = index + text.length;
  }
  const result = compilePattern(`^(?s:${source}${escapeLiteral(template.slice(end))})$`);
  return 'pattern' in result ? result.pattern : undefined;
}

/**
 * Dots would lead out of what the template stands for: `files/{name}` is no permission for `files/..%2Fsecret`, nor for `files?name=../x`.
 * Escapes may be escaped again.
 */
const dots =
  /(?:^|[/\\=:?#&;,+]|%(?:25)*(?:2f|5c|3d|3a|3b))(?:\.|%(?:25)*2e){2}(?:[/\\?#&;,]|%(?:25)*(?:2f|5c|3b)|$)/iu;

/** No expansion contains them, and some servers drop them: `..` with a tab behind it is `..` too (URL Standard). */
const controls = /\p{Cc}/u;

/** The template itself matches too: completion names it. A template that cannot be understood matches nothing. */
export function matchesUriTemplate(template: string, uri: string): boolean {
  if (template === uri) return true;
  if (template.length > maxTemplateLength) return false;
  if (compiled.size >= maxCompiled) compiled.clear();
  if (!compiled.has(template)) compiled.set(template, compileTemplate(template));
  if (dots.test(uri) || controls.test(uri)) return false;
  return compiled.get(template)?.test(uri) ?? false;
}

/** A simple validator of markup: tags nest, attributes are quoted, everything is escaped. Not a parser. */

const token = /<!doctype html>|<\?xml [^>]*\?>|<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w-]+(?:="[^"<]*")?)*)\s*(\/?)>/gi;
const voidElements = new Set(['meta', 'br', 'link']);

/** Undefined when the markup is well formed. The contents of `style` and `script` are ignored. */
export function findMarkupProblem(text: string): string | undefined {
  const source = text.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '');
  const open: string[] = [];
  let end = 0;
  for (const match of source.matchAll(token)) {
    const [tag, closing, name = '', , selfClosing] = match;
    const stray = findStray(source.slice(end, match.index));
    if (stray !== undefined) return stray;
    end = match.index + tag.length;
    if (name === '' || selfClosing || voidElements.has(name)) continue;
    if (!closing) open.push(name);
    else if (open.pop() !== name) return `</${name}> at ${match.index} closes nothing`;
  }
  return open.length > 0 ? `<${open.at(-1)}> is not closed` : findStray(source.slice(end));
}

function findStray(text: string): string | undefined {
  const match = /[<>]|&(?!(?:amp|lt|gt|quot|#39);)/.exec(text);
  return match
    ? `stray ${match[0]} in ${JSON.stringify(text.slice(Math.max(0, match.index - 20), match.index + 20))}`
    : undefined;
}

/** A small check of markup: tags nest, attributes are quoted, nothing stands unescaped. Not a parser. */

const token = /<!doctype html>|<\?xml [^>]*\?>|<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w-]+(?:="[^"<]*")?)*)\s*(\/?)>/gi;
const voidElements = new Set(['meta', 'br', 'link']);

/** What is wrong with `text`; undefined when nothing is. `style` content is taken as it is. */
export function problemInMarkup(text: string): string | undefined {
  const source = text.replace(/<style>[\s\S]*?<\/style>/g, '');
  const open: string[] = [];
  let end = 0;
  for (const match of source.matchAll(token)) {
    const [whole, closing, name = '', , selfClosing] = match;
    const stray = strayIn(source.slice(end, match.index));
    if (stray !== undefined) return stray;
    end = match.index + whole.length;
    if (name === '' || selfClosing || voidElements.has(name)) continue;
    if (!closing) open.push(name);
    else if (open.pop() !== name) return `</${name}> at ${match.index} closes nothing`;
  }
  return open.length > 0 ? `<${open.at(-1)}> is not closed` : strayIn(source.slice(end));
}

function strayIn(text: string): string | undefined {
  const found = /[<>]|&(?!(?:amp|lt|gt|quot|#39);)/.exec(text);
  return found
    ? `stray ${found[0]} in ${JSON.stringify(text.slice(Math.max(0, found.index - 20), found.index + 20))}`
    : undefined;
}

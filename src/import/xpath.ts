/** Simple XPath expressions as CSS selectors: paths of names, with attributes that have a value. */

export type ImportedSelector = { readonly selector: string; readonly attribute: string | undefined };

const stepForm =
  /^(\/\/|\/)(?:@([\w:.-]+)|((?:[\w.-]+:)?[\w.-]+|\*)((?:\[@[\w:.-]+(?:\s*=\s*(?:'[^'"\]\\]*'|"[^'"\]\\]*"))?\])*))/;

function toSelectorStep(name: string, predicates: string): string {
  // `_` stands for the default namespace.
  const own = name.replace(/^_:/, '').replaceAll(/[:.]/g, (sign) => `\\${sign}`);
  const attributes = predicates
    .replaceAll(/\s*=\s*/g, '=')
    .replaceAll('"', "'")
    .replaceAll('[@', '[')
    .replaceAll(/\[([\w:.-]+)/g, (_, attribute: string) => `[${attribute.replaceAll(':', '\\:')}`);
  return `${own}${attributes}`;
}

/** Undefined where CSS has no such selector: positions, functions, axes and several paths. */
export function toCssSelector(expression: string): ImportedSelector | undefined {
  const inner = /^(?:string|normalize-space)\((.*)\)$/.exec(expression.trim())?.[1]?.trim() ?? expression.trim();
  // The whole name, with its prefix, is what CSS compares too.
  const named = inner.replaceAll(/\*\[name\(\)\s*=\s*(?:'([\w:.-]+)'|"([\w:.-]+)")\]/g, '$1$2');
  let rest = named.replace(/\/text\(\)$/, '');
  let selector = '';
  while (rest !== '') {
    const match = stepForm.exec(rest);
    if (!match) return undefined;
    const [whole, axis = '', attribute, name = '', predicates = ''] = match;
    rest = rest.slice(whole.length);
    if (attribute !== undefined) return rest === '' && selector !== '' ? { selector, attribute } : undefined;
    const combinator = selector === '' ? '' : axis === '//' ? ' ' : ' > ';
    selector += `${combinator}${toSelectorStep(name, predicates)}`;
  }
  return selector === '' ? undefined : { selector, attribute: undefined };
}

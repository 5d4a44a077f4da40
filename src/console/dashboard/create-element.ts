/** Creates elements without a library, to keep the page small. */

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Creates an element. String children become text nodes, which need no escaping. */
export function createElement<N extends keyof HTMLElementTagNameMap>(
  name: N,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[N] {
  const node = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) node.setAttribute(attribute, value === true ? '' : value);
  node.append(...children);
  return node;
}

/** Renders parts in backquotes as `code` elements. */
export function renderInlineCode(text: string): (Node | string)[] {
  return text.split('`').map((segment, index) => (index % 2 === 1 ? createElement('code', {}, segment) : segment));
}

/** Replaces the content of `container`, unless it would stay the same. */
export function replaceContent(container: Element, ...children: readonly (Node | string)[]): void {
  const next = createElement('div', {}, ...children);
  if (next.innerHTML !== container.innerHTML) container.replaceChildren(...next.childNodes);
}

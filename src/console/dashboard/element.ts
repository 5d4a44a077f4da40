/** Elements without a library: the page has few of them, and is to be small. */

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** An element with attributes and children; texts are escaped by being texts. */
export function element<N extends keyof HTMLElementTagNameMap>(
  name: N,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[N] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) made.setAttribute(attribute, value === true ? '' : value);
  made.append(...children);
  return made;
}

/** Texts with `code` where they have it in backquotes. */
export function withCode(text: string): (Node | string)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

/** Puts `children` in the place of what is there, unless it would be the same. */
export function fill(place: Element, ...children: readonly (Node | string)[]): void {
  const next = element('div', {}, ...children);
  if (next.innerHTML !== place.innerHTML) place.replaceChildren(...next.childNodes);
}

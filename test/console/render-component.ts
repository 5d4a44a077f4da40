/** Renders components into a document of happy-dom, without a browser. */
import { Window } from 'happy-dom';
import type { ReactNode } from 'react';
import type { Test } from 'tap';

export type RenderedComponent = {
  readonly container: Element;
  /** Finds the button with exactly this label. Throws if there is none. */
  button(label: string): HTMLButtonElement;
  /** Types into the field with this label, as React sees it. */
  type(label: string, text: string): Promise<void>;
  click(element: HTMLElement): Promise<void>;
};

/**
 * The globals of the window stay for the rest of the process; each file is one. `prepare` may add to them and returns what
 * to render instead of `node`.
 */
export async function renderComponent(
  t: Pick<Test, 'teardown'>,
  node: ReactNode,
  prepare?: (window: Window) => Promise<ReactNode>,
): Promise<RenderedComponent> {
  const window = new Window({ url: 'http://localhost:7700/' });
  Object.assign(globalThis, { window, document: window.document, IS_REACT_ACT_ENVIRONMENT: true });
  for (const name of ['HTMLElement', 'Node', 'Event', 'MutationObserver'] as const)
    Object.defineProperty(globalThis, name, { value: window[name], configurable: true });
  const prepared = prepare ? await prepare(window) : node;
  const { act } = await import('react');
  const { createRoot } = await import('react-dom/client');
  const container = document.createElement('div');
  document.body.append(container);
  const root = createRoot(container);
  await act(async () => root.render(prepared));
  t.teardown(async () => {
    await act(async () => root.unmount());
    await window.happyDOM.close();
  });

  const find = <T>(elements: Iterable<T>, matches: (element: T) => boolean, description: string): T => {
    for (const element of elements) if (matches(element)) return element;
    throw new Error(`no ${description} in ${container.innerHTML}`);
  };
  return {
    container,
    button: (label) =>
      find(container.querySelectorAll('button'), (button) => button.textContent === label, `button ${label}`),
    async type(label, text) {
      const labels = container.querySelectorAll('label');
      const field = find(labels, (element) => element.textContent?.includes(label) ?? false, `label ${label}`);
      const input = field.control ?? field.querySelector('input') ?? document.getElementById(field.htmlFor);
      // React listens to the setter of the prototype.
      Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, 'value')?.set?.call(input, text);
      await act(async () => input?.dispatchEvent(new Event('input', { bubbles: true })));
    },
    async click(element) {
      await act(async () => element.click());
    },
  };
}

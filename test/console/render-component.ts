/** Renders components into a document of happy-dom, without a browser. */
import { Window } from 'happy-dom';
import type { ReactNode } from 'react';
import type { Test } from 'tap';
import { replaceGlobals } from './replace-globals.ts';

export type RenderedComponent = {
  readonly container: Element;
  /** Finds the button with exactly this label. Throws if there is none. */
  button(label: string): HTMLButtonElement;
  /** Types into the field with this label, as React sees it. */
  type(label: string, text: string): Promise<void>;
  typeInto(field: HTMLInputElement | HTMLTextAreaElement, text: string): Promise<void>;
  click(element: HTMLElement): Promise<void>;
  /** Clicks with modifier keys. */
  clickWith(element: HTMLElement, options: MouseEventInit): Promise<void>;
  /** Chooses the option of a select, as React sees it. */
  choose(label: string, value: string): Promise<void>;
  /** Before the end of the test. */
  unmount(): Promise<void>;
};

/**
 * The globals of the window are there until the test ends. `prepare` may add to them (`replaceGlobals`) and returns what to render
 * instead of `node`.
 */
export async function renderComponent(
  t: Pick<Test, 'teardown'>,
  node: ReactNode,
  prepare?: (window: Window) => Promise<ReactNode>,
): Promise<RenderedComponent> {
  const window = new Window({ url: 'http://localhost:7700/' });
  const classes = ['HTMLElement', 'Node', 'Event', 'MouseEvent', 'MutationObserver'] as const;
  replaceGlobals(t, {
    ...{ window, document: window.document, IS_REACT_ACT_ENVIRONMENT: true },
    ...Object.fromEntries(classes.map((name) => [name, window[name]])),
  });
  const { environmentManager } = await import('@tanstack/react-query');
  // It looks for a window when it is loaded, which a file may have done that ran before in this process.
  environmentManager.setIsServer(() => !('window' in globalThis));
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
  async function typeInto(field: Element, text: string): Promise<void> {
    const { prototype } = field.tagName === 'TEXTAREA' ? window.HTMLTextAreaElement : window.HTMLInputElement;
    // React listens to the setter of the prototype.
    Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, text);
    await act(async () => field.dispatchEvent(new Event('input', { bubbles: true })));
  }

  return {
    container,
    button: (label) =>
      find(container.querySelectorAll('button'), (button) => button.textContent === label, `button ${label}`),
    async type(label, text) {
      const labels = container.querySelectorAll('label');
      const field = find(labels, (element) => element.textContent?.includes(label) ?? false, `label ${label}`);
      const input = field.control ?? field.querySelector('input') ?? document.getElementById(field.htmlFor);
      if (!input) throw new Error(`the label ${label} has no field`);
      await typeInto(input, text);
    },
    typeInto,
    async click(element) {
      await act(async () => element.click());
    },
    async clickWith(element, options) {
      await act(async () =>
        element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...options })),
      );
    },
    async unmount() {
      await act(async () => root.unmount());
    },
    async choose(label, value) {
      const labels = container.querySelectorAll('label');
      const { htmlFor } = find(labels, (element) => element.textContent === label, `label ${label}`);
      const select = find(container.querySelectorAll('select'), ({ id }) => id === htmlFor, `select ${label}`);
      Object.getOwnPropertyDescriptor(window.HTMLSelectElement.prototype, 'value')?.set?.call(select, value);
      await act(async () => select.dispatchEvent(new Event('change', { bubbles: true })));
    },
  };
}

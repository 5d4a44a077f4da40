/** Where the focus was, so that it stays near when its element disappears: the browser would move it to the body. */

const controlSelector =
  'a[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable=true], [tabindex]:not([tabindex="-1"])';
const rowSelector = 'li, tr, section, fieldset, dialog, main';

/** An ancestor of the element, or the element itself, with its neighbours at the time. */
type Level = {
  readonly parent: Element;
  readonly before: readonly Element[];
  readonly after: readonly Element[];
};

/** From the element outwards. */
export type FocusPosition = {
  readonly element: HTMLElement;
  readonly levels: readonly Level[];
  /** The dialog that the element was in. */
  readonly dialog: HTMLDialogElement | null;
};

export function captureFocusPosition(element: HTMLElement): FocusPosition {
  const levels: Level[] = [];
  for (let child: Element = element; child.parentElement && child !== document.body; child = child.parentElement) {
    const siblings = [...child.parentElement.children];
    const index = siblings.indexOf(child);
    levels.push({
      parent: child.parentElement,
      before: siblings.slice(0, index).reverse(),
      after: siblings.slice(index + 1),
    });
  }
  return { element, levels, dialog: element.closest('dialog') };
}

/**
 * Focuses what took the element's place, the next control or the previous one. Where that would destroy something, its row gets the
 * focus, because Enter may still be pressed.
 */
export function focusNearby({ levels }: FocusPosition): void {
  for (const level of levels) {
    if (!level.parent.isConnected) continue;
    const control = findControl(level);
    if (control) focusSafely(control);
    else if (level.parent.matches('dialog, main')) focusContainer(level.parent);
    else continue;
    return;
  }
}

/** Elements between the neighbours of the time that are still there, then those after and those before them. */
function findControl({ parent, before, after }: Level): HTMLElement | undefined {
  const siblings = [...parent.children];
  const previous = before.find((element) => element.parentElement === parent);
  const start = previous ? siblings.indexOf(previous) + 1 : 0;
  const next = after.find((element) => element.parentElement === parent);
  const end = next ? siblings.indexOf(next) : siblings.length;
  const forward = [...siblings.slice(start, end), ...siblings.slice(end)].flatMap(listControls);
  return forward[0] ?? siblings.slice(0, start).flatMap(listControls).at(-1);
}

function listControls(root: Element): HTMLElement[] {
  const elements = [root, ...root.querySelectorAll(controlSelector)];
  return elements.filter(
    (element): element is HTMLElement =>
      element instanceof HTMLElement && element.matches(controlSelector) && canBeFocused(element),
  );
}

function canBeFocused(element: HTMLElement): boolean {
  return !element.matches(':disabled') && element.closest('dialog:not([open]), [inert]') === null && isVisible(element);
}

function isVisible(element: HTMLElement): boolean {
  return typeof element.checkVisibility !== 'function' || element.checkVisibility({ visibilityProperty: true });
}

function focusSafely(control: HTMLElement): void {
  const row = control.matches('.destructive') ? control.closest(rowSelector) : null;
  if (row) focusContainer(row);
  else control.focus();
}

function focusContainer(container: Element): void {
  if (!(container instanceof HTMLElement)) return;
  if (!container.hasAttribute('tabindex')) container.tabIndex = -1;
  container.focus();
}

/**
 * Scrolls `element` into sight. By itself a page must not move from its top, so that only the box around the element is
 * scrolled then; when somebody asked for it, everything is.
 */
export function reveal(element: HTMLElement, asked: boolean): void {
  if (asked) {
    element.scrollIntoView({ block: 'nearest' });
    return;
  }
  const box = element.closest('section');
  if (!box) return;
  const [own, around] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
  if (own.top < around.top || own.bottom > around.bottom) box.scrollTop += own.top - around.top - around.height / 3;
}

/**
 * Scrolls `element` into view. Unless the user selected it, only the surrounding section is scrolled: a page must not leave
 * its top by itself.
 */
export function revealElement(element: HTMLElement, selectedByUser: boolean): void {
  if (selectedByUser) {
    element.scrollIntoView({ block: 'nearest' });
    return;
  }
  const box = element.closest('section');
  if (!box) return;
  const [elementRect, boxRect] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
  if (elementRect.top < boxRect.top || elementRect.bottom > boxRect.bottom)
    box.scrollTop += elementRect.top - boxRect.top - boxRect.height / 3;
}

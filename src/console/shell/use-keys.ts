/** Keyboard shortcuts of all pages. Rows are links marked `data-row`, the search field is marked `data-search`. */
import { useEffect } from 'react';

/** Actions by key, or by `g` and a key. One that returns false has not handled the key. */
export type KeyActions = Readonly<Record<string, () => unknown>>;

const prefixWindowMs = 1200;

/** Letters are nothing to a check box. */
function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))
  );
}

/** Moves the focus along the rows. Rows are links, so Enter opens the focused one. */
function moveRow(direction: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const index = rows.findIndex((row) => (row.closest('[data-select]') ?? row).contains(document.activeElement));
  const next = index === -1 ? rows[direction === 1 ? 0 : rows.length - 1] : rows[index + direction];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}

/**
 * Handles `/`, `j`, `k` and the keys of `actions` while the component is mounted. Several components may use it: a key that
 * one of them has handled is left alone by the others. `onNoSearch` is called for `/` on a page without a search field.
 */
export function useKeys(actions: KeyActions, onNoSearch?: () => void): void {
  useEffect(() => {
    let prefixAtMs = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (document.querySelector('dialog[open]')) return;
      const isAfterPrefix = event.timeStamp - prefixAtMs < prefixWindowMs;
      prefixAtMs = event.key === 'g' && !isAfterPrefix ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const action = actions[isAfterPrefix ? `g ${event.key}` : event.key];
      if (action) {
        if (action() === false) return;
      } else if (event.key === 'j') moveRow(1);
      else if (event.key === 'k') moveRow(-1);
      else if (event.key !== '/') return;
      else if (!focusSearch()) {
        if (!onNoSearch) return;
        onNoSearch();
      }
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [actions, onNoSearch]);
}

/** Keys that work on every page. Rows are links marked `data-row`; the search field is marked `data-search`. */
import { useEffect } from 'react';

/** Key (or `g` and a key) → what it does, in the order of the help. */
export type KeyActions = Readonly<Record<string, () => void>>;

const prefixMs = 1200;

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Moves the focus along the rows: enter opens the one that has it, as it does for every link. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const index = rows.findIndex((row) => row.contains(document.activeElement));
  const next = index === -1 ? rows[step === 1 ? 0 : rows.length - 1] : rows[index + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}

/** Listens for `/`, `j`, `k` and the keys of `actions` (single ones, or `g x`) while shown. */
export function useKeys(actions: KeyActions): void {
  useEffect(() => {
    let prefixedMs = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (document.querySelector('dialog[open]')) return;
      const prefixed = event.timeStamp - prefixedMs < prefixMs;
      prefixedMs = event.key === 'g' && !prefixed ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const action = actions[prefixed ? `g ${event.key}` : event.key];
      if (action) action();
      else if (event.key === 'j') moveRow(1);
      else if (event.key === 'k') moveRow(-1);
      else if (event.key !== '/' || !focusSearch()) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [actions]);
}

/** Which rows of a list are selected, with a check box on each row and the keys x, shift x, a and Escape. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useKeys } from '../shell/use-keys.ts';

export type RowSelection = {
  /** Those that are displayed, in their order. */
  readonly displayedIds: readonly string[];
  /** Only what is displayed is selected: nothing happens to a row that the reader does not see. */
  readonly ids: ReadonlySet<string>;
  /** With `isRange` all rows from the one selected before up to this one. */
  toggle(id: string, isRange: boolean): void;
  /** Selects all that are displayed, or none if all are. */
  toggleAll(): void;
  deselect(ids: readonly string[]): void;
  clear(): void;
};

const noIds: ReadonlySet<string> = new Set();

/** The ids from `from` to `to` in the order of the list, both included; `to` alone where `from` is not displayed. */
export function selectRange(displayedIds: readonly string[], from: string | undefined, to: string): readonly string[] {
  const [start, end] = [from === undefined ? -1 : displayedIds.indexOf(from), displayedIds.indexOf(to)];
  if (start === -1 || end === -1) return [to];
  return displayedIds.slice(Math.min(start, end), Math.max(start, end) + 1);
}

/** Rows have their id in `data-select`. */
function findFocusedRow(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-select]')?.dataset.select;
}

/** With `isEnabled` false nothing can be selected. */
export function useSelection(displayedIds: readonly string[], isEnabled = true): RowSelection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(noIds);
  const anchor = useRef<string>(undefined);
  // Rows keep the same function, so that they are not rendered again with each change of the list.
  const displayed = useRef(displayedIds);
  useEffect(() => {
    displayed.current = displayedIds;
  }, [displayedIds]);
  const ids = useMemo(
    () => (selected.size === 0 ? noIds : new Set(displayedIds.filter((id) => selected.has(id)))),
    [displayedIds, selected],
  );
  const toggle = useCallback((id: string, isRange: boolean): void => {
    const range = isRange ? selectRange(displayed.current, anchor.current, id) : undefined;
    anchor.current = id;
    setSelected((before) => {
      const next = new Set(before);
      if (range) for (const other of range) next.add(other);
      else if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const toggleAll = useCallback(
    () =>
      setSelected((before) => (displayed.current.every((id) => before.has(id)) ? noIds : new Set(displayed.current))),
    [],
  );
  const deselect = useCallback(
    (gone: readonly string[]) => setSelected((before) => new Set([...before].filter((id) => !gone.includes(id)))),
    [],
  );
  const clear = useCallback(() => setSelected(noIds), []);
  const hasAny = ids.size > 0;
  const isDisplayed = useCallback((id: string) => displayed.current.includes(id), []);
  useKeys(
    useMemo(
      () => (isEnabled ? buildKeys({ isDisplayed, toggle, clear }, hasAny) : {}),
      [isEnabled, isDisplayed, toggle, clear, hasAny],
    ),
  );
  return useMemo(
    () => ({ displayedIds, ids, toggle, toggleAll, deselect, clear }),
    [displayedIds, ids, toggle, toggleAll, deselect, clear],
  );
}

type KeyTarget = Pick<RowSelection, 'toggle' | 'clear'> & { isDisplayed(id: string): boolean };

/** Keys on a row of another list are left to it. */
function buildKeys({ isDisplayed, toggle, clear }: KeyTarget, hasAny: boolean) {
  const toggleFocused = (isRange: boolean): boolean => {
    const id = findFocusedRow();
    if (id === undefined || !isDisplayed(id)) return false;
    toggle(id, isRange);
    return true;
  };
  return {
    x: () => toggleFocused(false),
    X: () => toggleFocused(true),
    ...(hasAny
      ? { Escape: clear, a: () => document.querySelector<HTMLElement>('.bulk-bar button:not(:disabled)')?.focus() }
      : {}),
  };
}

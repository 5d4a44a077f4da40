import { memo, useEffect, useRef } from 'react';
import type { RowSelection } from './use-selection.ts';

type SelectCellProps = {
  readonly id: string;
  /** What the row stands for, for assistive technology. */
  readonly label: string;
  readonly isSelected: boolean;
  readonly onToggle: RowSelection['toggle'];
};

/** The check box of a row; with shift it selects a range. */
export const SelectCell = memo(function SelectCell({ id, label, isSelected, onToggle }: SelectCellProps) {
  return (
    <td className="select-cell">
      <label>
        <input
          type="checkbox"
          aria-label={`Select ${label}`}
          checked={isSelected}
          onChange={({ nativeEvent }) => onToggle(id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        />
      </label>
    </td>
  );
});

/** The check box above the list, for all that are displayed. */
export function SelectAllCell({ selection: { displayedIds, ids, toggleAll } }: { selection: RowSelection }) {
  const ref = useRef<HTMLInputElement>(null);
  const isPartial = ids.size > 0 && ids.size < displayedIds.length;
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = isPartial;
  }, [isPartial]);
  return (
    <th scope="col" className="select-cell">
      <label>
        <input
          ref={ref}
          type="checkbox"
          aria-label={`Select all ${displayedIds.length} shown`}
          checked={displayedIds.length > 0 && ids.size === displayedIds.length}
          onChange={toggleAll}
        />
      </label>
    </th>
  );
}

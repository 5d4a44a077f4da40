import type { ReactNode } from 'react';

export type Column =
  | string
  | {
      readonly label: string;
      /** Aligned to the right. */
      readonly isNumber?: boolean;
      /** Only read aloud: a column of buttons. */
      readonly isHidden?: boolean;
    };

type DataTableProps = {
  /** Beside `table`: how narrow screens lay out the cells, which have their column in `data-label`. */
  readonly className: string;
  readonly columns: readonly Column[];
  /** Before the columns. */
  readonly selectAll?: ReactNode;
  /** The rows. */
  readonly children: ReactNode;
};

/** A table that scrolls by itself where the page is too narrow for it. */
export function DataTable({ className, columns, selectAll, children }: DataTableProps) {
  return (
    <div className="table-scroll">
      <table className={`table ${className}`}>
        <thead>
          <tr>
            {selectAll}
            {columns.map((column) => {
              const { label, isNumber, isHidden }: Exclude<Column, string> =
                typeof column === 'string' ? { label: column } : column;
              return (
                <th key={label} scope="col" className={isNumber ? 'number' : undefined}>
                  {isHidden ? <span className="visually-hidden">{label}</span> : label}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

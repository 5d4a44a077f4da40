import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { DataTable } from './data-table.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { Select } from './select.tsx';

type PeopleTableProps = {
  /** Heading of the column with times. */
  readonly timeColumn: string;
  readonly mayChange: boolean;
  /** One {@link PeopleTableRow} for each person. */
  readonly children: ReactNode;
};

export function PeopleTable({ timeColumn, mayChange, children }: PeopleTableProps) {
  const columns = ['Name', 'Email', 'Role', timeColumn];
  return (
    <DataTable className="people" columns={mayChange ? [...columns, 'Actions'] : columns}>
      {children}
    </DataTable>
  );
}

type PeopleTableRowProps<R extends string> = {
  readonly person: { readonly name: string; readonly email: string; readonly role: R };
  readonly roles: readonly (readonly [role: R, text: string])[];
  readonly onRoleChange: (role: R) => void;
  /** Heading of the column (for narrow screens) and content of the cell. */
  readonly timeColumn: readonly [heading: string, content: ReactNode];
  readonly mayChange: boolean;
  readonly error: Error | null;
  readonly removal: {
    readonly title: string;
    /** Says what the person loses. */
    readonly consequence: string;
    readonly isPending: boolean;
    readonly start: (onSettled: () => void) => void;
  };
};

/** A person; with `mayChange` also a role menu and a button to remove the person. */
export function PeopleTableRow<R extends string>(props: PeopleTableRowProps<R>) {
  const { person, roles, onRoleChange, timeColumn, mayChange, error, removal } = props;
  const { name, email, role } = person;
  const [heading, content] = timeColumn;
  return (
    <tr>
      <td className="person-name">
        {name}
        {error ? <ErrorNotice error={error} /> : null}
      </td>
      <td data-label="Email">{email}</td>
      <td data-label="Role">
        {mayChange ? (
          <Select hideLabel label={`Role of ${name}`} value={role} options={roles} onSelect={onRoleChange} />
        ) : (
          role
        )}
      </td>
      <td data-label={heading}>{content}</td>
      {mayChange ? <Removal person={person} removal={removal} /> : null}
    </tr>
  );
}

function Removal({ person: { name, email }, removal }: Pick<PeopleTableRowProps<string>, 'person' | 'removal'>) {
  const [isConfirming, setConfirming] = useState(false);
  const close = (): void => setConfirming(false);
  return (
    <td>
      <button type="button" className="small destructive" onClick={() => setConfirming(true)}>
        Remove…<span className="visually-hidden"> {name}</span>
      </button>
      {isConfirming ? (
        <ConfirmDialog
          title={removal.title}
          consequence={removal.consequence}
          confirmationText={email}
          confirmLabel="Remove"
          isPending={removal.isPending}
          onConfirm={() => removal.start(close)}
          onClose={close}
        />
      ) : null}
    </td>
  );
}

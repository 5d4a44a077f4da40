import { type ReactNode, useState } from 'react';
import { Choice } from './choice.tsx';
import { ConfirmTyped } from './confirm-typed.tsx';
import { Problem } from './problem.tsx';

type PeopleTableProps = {
  /** Heads the column of times. */
  readonly moment: string;
  readonly mayChange: boolean;
  /** A {@link PersonWithRole} each. */
  readonly children: ReactNode;
};

/** People with their roles. */
export function PeopleTable({ moment, mayChange, children }: PeopleTableProps) {
  return (
    <div className="table-scroll">
      <table className="table people">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Email</th>
            <th scope="col">Role</th>
            <th scope="col">{moment}</th>
            {mayChange ? <th scope="col">Change</th> : null}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

type PersonWithRoleProps<R extends string> = {
  readonly person: { readonly name: string; readonly email: string; readonly role: R };
  readonly roles: readonly (readonly [role: R, text: string])[];
  readonly onRole: (role: R) => void;
  /** As the head of its column, and what stands there. */
  readonly moment: readonly [head: string, shown: ReactNode];
  readonly mayChange: boolean;
  readonly error: Error | null;
  readonly removal: {
    readonly title: string;
    /** What ends with it. */
    readonly loss: string;
    readonly pending: boolean;
    readonly begin: (settled: () => void) => void;
  };
};

/** One of them; owners change the role and remove. */
export function PersonWithRole<R extends string>(props: PersonWithRoleProps<R>) {
  const { person, roles, onRole, moment, mayChange, error, removal } = props;
  const { name, email, role } = person;
  const [head, shown] = moment;
  return (
    <tr>
      <td className="person-name">
        {name}
        {error ? <Problem error={error} /> : null}
      </td>
      <td data-label="Email">{email}</td>
      <td data-label="Role">
        {mayChange ? <Choice bare label={`Role of ${name}`} value={role} options={roles} onChoose={onRole} /> : role}
      </td>
      <td data-label={head}>{shown}</td>
      {mayChange ? <Removal person={person} removal={removal} /> : null}
    </tr>
  );
}

function Removal({ person: { name, email }, removal }: Pick<PersonWithRoleProps<string>, 'person' | 'removal'>) {
  const [isAsking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  return (
    <td>
      <button type="button" className="quiet" onClick={() => setAsking(true)}>
        Remove…<span className="unseen"> {name}</span>
      </button>
      {isAsking ? (
        <ConfirmTyped
          title={removal.title}
          loss={removal.loss}
          word={email}
          action="Remove"
          pending={removal.pending}
          onConfirm={() => removal.begin(close)}
          onClose={close}
        />
      ) : null}
    </td>
  );
}

import { Select } from '../../components/select.tsx';
import { LinesField } from './lines-field.tsx';
import type { PolicyRole, RoleDraft } from './policy-draft.ts';

const toolScopes = [
  ['all', 'every tool'],
  ['some', 'only those listed'],
] as const;

type RoleFieldsProps = {
  readonly role: PolicyRole;
  readonly draft: RoleDraft;
  readonly readOnly: boolean;
  readonly onChange: (part: Partial<RoleDraft>) => void;
};

export function RoleFields({ role, readOnly, ...rest }: RoleFieldsProps) {
  return (
    <fieldset className="group" disabled={readOnly}>
      <legend>{role}</legend>
      <PermissionFields subject={`the ${role}`} readOnly={readOnly} {...rest} />
    </fieldset>
  );
}

type PermissionFieldsProps = {
  /** Who the permissions are for. */
  readonly subject: string;
  readonly draft: RoleDraft;
  readonly readOnly: boolean;
  readonly onChange: (part: Partial<RoleDraft>) => void;
};

/** The tools that a role or caller may call. */
export function PermissionFields({ subject, draft, readOnly, onChange }: PermissionFieldsProps) {
  const { allow, deny } = draft;
  return (
    <>
      <Select
        label={`${subject.charAt(0).toUpperCase()}${subject.slice(1)} can call`}
        value={allow ? 'some' : 'all'}
        options={toolScopes}
        onSelect={(scope) => onChange({ allow: scope === 'some' ? [] : undefined })}
      />
      {allow ? (
        <LinesField
          label={`Tools for ${subject}`}
          hint="One per line. weather__* matches every tool of the connection weather."
          placeholder="weather__*"
          lines={allow}
          readOnly={readOnly}
          onWrite={(lines) => onChange({ allow: lines })}
        />
      ) : null}
      <LinesField
        label={`Denied for ${subject}`}
        placeholder="mail__send"
        lines={deny}
        readOnly={readOnly}
        onWrite={(lines) => onChange({ deny: lines })}
      />
      <label>
        <input
          type="checkbox"
          checked={draft.readOnly}
          onChange={({ target }) => onChange({ readOnly: target.checked })}
        />{' '}
        Only read-only tools<span className="visually-hidden">, for {subject}</span>
      </label>
    </>
  );
}

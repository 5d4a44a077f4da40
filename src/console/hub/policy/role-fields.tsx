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

export function RoleFields({ role, draft, readOnly, onChange }: RoleFieldsProps) {
  const { allow, deny } = draft;
  return (
    <fieldset className="group" disabled={readOnly}>
      <legend>{role}</legend>
      <Select
        label={`The ${role} can call`}
        value={allow ? 'some' : 'all'}
        options={toolScopes}
        onSelect={(scope) => onChange({ allow: scope === 'some' ? [] : undefined })}
      />
      {allow ? (
        <LinesField
          label={`Tools for the ${role}`}
          hint="One per line. weather__* matches every tool of the connection weather."
          placeholder="weather__*"
          lines={allow}
          readOnly={readOnly}
          onWrite={(lines) => onChange({ allow: lines })}
        />
      ) : null}
      <LinesField
        label={`Denied for the ${role}`}
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
        Only read-only tools<span className="unseen">, for the {role}</span>
      </label>
    </fieldset>
  );
}

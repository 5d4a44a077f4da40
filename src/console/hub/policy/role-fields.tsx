import { Choice } from '../../parts/choice.tsx';
import { LinesField } from './lines-field.tsx';
import type { HubRole, RoleDraft } from './policy-draft.ts';

const scopes = [
  ['all', 'every tool'],
  ['some', 'only those listed'],
] as const;

type RoleFieldsProps = {
  readonly role: HubRole;
  readonly draft: RoleDraft;
  readonly readOnly: boolean;
  readonly set: (part: Partial<RoleDraft>) => void;
};

/** What one role may call. */
export function RoleFields({ role, draft, readOnly, set }: RoleFieldsProps) {
  const { allow, deny } = draft;
  return (
    <fieldset className="group" disabled={readOnly}>
      <legend>{role}</legend>
      <Choice
        label={`The ${role} may call`}
        value={allow ? 'some' : 'all'}
        options={scopes}
        onChoose={(scope) => set({ allow: scope === 'some' ? [] : undefined })}
      />
      {allow ? (
        <LinesField
          label={`Tools of the ${role}`}
          hint="One to a line; weather__* stands for every tool of the connection weather."
          placeholder="weather__*"
          lines={allow}
          readOnly={readOnly}
          onWrite={(lines) => set({ allow: lines })}
        />
      ) : null}
      <LinesField
        label={`Never for the ${role}`}
        placeholder="mail__send"
        lines={deny}
        readOnly={readOnly}
        onWrite={(lines) => set({ deny: lines })}
      />
      <label>
        <input type="checkbox" checked={draft.readOnly} onChange={({ target }) => set({ readOnly: target.checked })} />{' '}
        Only tools that say they only read<span className="unseen">, for the {role}</span>
      </label>
    </fieldset>
  );
}

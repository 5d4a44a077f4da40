import { AddGroupButton } from './add-group-button.tsx';
import { LinesField } from './lines-field.tsx';
import type { CallerDraft } from './policy-draft.ts';
import { PermissionFields } from './role-fields.tsx';

type CallerFieldsProps = {
  readonly callers: readonly CallerDraft[];
  readonly readOnly: boolean;
  readonly onChange: (callers: readonly CallerDraft[]) => void;
};

const newRule: CallerDraft = { people: [], tokens: [], clients: [], allow: undefined, deny: [], readOnly: false };

const nameFields = [
  ['people', 'People', 'Names or ids of members, one per line.'],
  ['tokens', 'Tokens', 'Names or ids of personal access tokens.'],
  ['clients', 'Clients', 'Names or ids of apps. A client that uses a token states its own name, which nothing proves.'],
] as const;

/** Rules that narrow what some people, tokens or clients may do. */
export function CallerFields({ callers, readOnly, onChange }: CallerFieldsProps) {
  const update = (position: number, changes: Partial<CallerDraft>): void =>
    onChange(callers.map((rule, index) => (index === position ? { ...rule, ...changes } : rule)));
  return (
    <>
      {callers.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id
        <fieldset key={index} className="group" disabled={readOnly}>
          <legend>Caller rule {index + 1}</legend>
          <div className="roles">
            {nameFields.map(([member, label, hint]) => (
              <LinesField
                key={member}
                label={`${label} of caller rule ${index + 1}`}
                hint={hint}
                placeholder="all"
                lines={rule[member]}
                readOnly={readOnly}
                onWrite={(lines) => update(index, { [member]: lines })}
              />
            ))}
          </div>
          <PermissionFields
            subject={`the callers of rule ${index + 1}`}
            draft={rule}
            readOnly={readOnly}
            onChange={(part) => update(index, part)}
          />
          <p>
            <button
              type="button"
              className="destructive"
              onClick={() => onChange(callers.filter((_, position) => position !== index))}
            >
              Remove caller rule {index + 1}
            </button>
          </p>
        </fieldset>
      ))}
      <p className="faint">
        {callers.length === 0
          ? 'Everybody may do what their role may do.'
          : 'A rule is for callers that match all of its fields. It adds nothing to what their role may do.'}
      </p>
      {readOnly ? null : <AddGroupButton onAdd={() => onChange([...callers, newRule])}>Add caller rule</AddGroupButton>}
    </>
  );
}

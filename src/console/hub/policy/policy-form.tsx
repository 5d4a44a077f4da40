import { Field } from '../../parts/field.tsx';
import { LimitFields } from './limit-fields.tsx';
import { LinesField } from './lines-field.tsx';
import type { HubRole, PolicyDraft, RoleDraft } from './policy-draft.ts';
import { RoleFields } from './role-fields.tsx';
import { RuleFields } from './rule-fields.tsx';

type PolicyFormProps = {
  readonly draft: PolicyDraft;
  readonly readOnly: boolean;
  readonly set: (part: Partial<PolicyDraft>) => void;
};

const roles: readonly HubRole[] = ['owner', 'member', 'viewer'];

/** A policy as fields. */
export function PolicyForm({ draft, readOnly, set }: PolicyFormProps) {
  const setRole = (role: HubRole, part: Partial<RoleDraft>): void =>
    set({ roles: { ...draft.roles, [role]: { ...draft.roles[role], ...part } } });
  return (
    <div className="policy-form">
      <section aria-labelledby="policy-roles">
        <h2 id="policy-roles">Who may call which tools</h2>
        <div className="roles">
          {roles.map((role) => (
            <RoleFields
              key={role}
              role={role}
              draft={draft.roles[role]}
              readOnly={readOnly}
              set={(part) => setRole(role, part)}
            />
          ))}
        </div>
      </section>
      <section aria-labelledby="policy-rules">
        <h2 id="policy-rules">What arguments must fit</h2>
        <RuleFields rules={draft.rules} readOnly={readOnly} set={(rules) => set({ rules })} />
      </section>
      <section aria-labelledby="policy-limits">
        <h2 id="policy-limits">How often</h2>
        <LimitFields limits={draft.limits} readOnly={readOnly} set={(limits) => set({ limits })} />
      </section>
      <section aria-labelledby="policy-bounds">
        <h2 id="policy-bounds">How much and how long</h2>
        <Bounds draft={draft} readOnly={readOnly} set={set} />
      </section>
      <section aria-labelledby="policy-audit">
        <h2 id="policy-audit">What the audit keeps</h2>
        <Kept draft={draft} readOnly={readOnly} set={set} />
      </section>
    </div>
  );
}

const fields = [
  ['argumentKb', 'Arguments at most (KB)', 16_384],
  ['answerKb', 'Answers at most (KB)', 102_400],
  ['timeoutS', 'A call at most (seconds)', 3600],
] as const;

function Bounds({ draft, readOnly, set }: PolicyFormProps) {
  return (
    <div className="inline-form">
      {fields.map(([name, label, most]) => (
        <Field
          key={name}
          label={label}
          type="number"
          step={name === 'timeoutS' ? 1 : 'any'}
          min={name === 'timeoutS' ? 1 : 0.001}
          max={most}
          placeholder="as by default"
          readOnly={readOnly}
          value={draft[name]}
          onChange={({ target }) => set({ [name]: target.value })}
        />
      ))}
    </div>
  );
}

function Kept({ draft: { keepArguments, hideFields, hide }, readOnly, set }: PolicyFormProps) {
  return (
    <>
      <label>
        <input
          type="checkbox"
          disabled={readOnly}
          checked={keepArguments}
          onChange={({ target }) => set({ keepArguments: target.checked })}
        />{' '}
        Keep the arguments of calls; without it only their digest is kept
      </label>
      {keepArguments ? (
        <div className="roles">
          <LinesField
            label="Fields whose values are never kept"
            hint="One name to a line, wherever it stands, in any spelling of capitals and hyphens."
            placeholder="the usual names of secrets"
            lines={hideFields ?? []}
            readOnly={readOnly}
            onWrite={(lines) => set({ hideFields: lines.length === 0 && !hideFields ? undefined : lines })}
          />
          <LinesField
            label="Places whose values are never kept"
            hint="One JSON pointer to a line."
            placeholder="/message/body"
            lines={hide}
            readOnly={readOnly}
            onWrite={(lines) => set({ hide: lines })}
          />
        </div>
      ) : null}
    </>
  );
}

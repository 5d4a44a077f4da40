import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { ApprovalFields } from './approval-fields.tsx';
import { BudgetFields } from './budget-fields.tsx';
import { CallerFields } from './caller-fields.tsx';
import { DefinitionFields } from './definition-fields.tsx';
import { LimitFields } from './limit-fields.tsx';
import { LinesField } from './lines-field.tsx';
import type { PolicyDraft, PolicyRole, RoleDraft } from './policy-draft.ts';
import { RoleFields } from './role-fields.tsx';
import { RuleFields } from './rule-fields.tsx';

type PolicyFormProps = {
  readonly draft: PolicyDraft;
  readonly readOnly: boolean;
  readonly onChange: (part: Partial<PolicyDraft>) => void;
};

const approverChoices = [
  ['refuse', 'in the console and in a terminal'],
  ['offer', 'also in a form of their MCP client'],
] as const;
const roleNames: readonly PolicyRole[] = ['owner', 'member', 'viewer'];

export function PolicyForm({ draft, readOnly, onChange }: PolicyFormProps) {
  const setRole = (role: PolicyRole, part: Partial<RoleDraft>): void =>
    onChange({ roles: { ...draft.roles, [role]: { ...draft.roles[role], ...part } } });
  return (
    <div className="policy-form">
      <section aria-labelledby="policy-roles">
        <h2 id="policy-roles">Who can call which tools</h2>
        <div className="roles">
          {roleNames.map((role) => (
            <RoleFields
              key={role}
              role={role}
              draft={draft.roles[role]}
              readOnly={readOnly}
              onChange={(part) => setRole(role, part)}
            />
          ))}
        </div>
      </section>
      <section aria-labelledby="policy-callers">
        <h2 id="policy-callers">People, tokens and clients</h2>
        <CallerFields callers={draft.callers} readOnly={readOnly} onChange={(callers) => onChange({ callers })} />
      </section>
      <section aria-labelledby="policy-definitions">
        <h2 id="policy-definitions">New definitions</h2>
        <DefinitionFields draft={draft} readOnly={readOnly} onChange={onChange} />
      </section>
      <section aria-labelledby="policy-rules">
        <h2 id="policy-rules">Argument rules</h2>
        <RuleFields rules={draft.rules} readOnly={readOnly} onChange={(rules) => onChange({ rules })} />
      </section>
      <section aria-labelledby="policy-approvals">
        <h2 id="policy-approvals">Calls that need an approval</h2>
        <ApprovalFields
          approvals={draft.approvals}
          readOnly={readOnly}
          onChange={(approvals) => onChange({ approvals })}
        />
        <fieldset className="group" disabled={readOnly}>
          <legend className="visually-hidden">Where approvers decide</legend>
          <Select
            label="Approvers decide"
            value={draft.approveByClient ?? 'refuse'}
            options={approverChoices}
            onSelect={(approveByClient) => onChange({ approveByClient })}
          />
        </fieldset>
      </section>
      <section aria-labelledby="policy-limits">
        <h2 id="policy-limits">Rate limits</h2>
        <LimitFields limits={draft.limits} readOnly={readOnly} onChange={(limits) => onChange({ limits })} />
      </section>
      <section aria-labelledby="policy-budgets">
        <h2 id="policy-budgets">Budgets</h2>
        <BudgetFields budgets={draft.budgets} readOnly={readOnly} onChange={(budgets) => onChange({ budgets })} />
      </section>
      <section aria-labelledby="policy-bounds">
        <h2 id="policy-bounds">Size and time limits</h2>
        <NumberFields section="bounds" draft={draft} readOnly={readOnly} onChange={onChange} />
      </section>
      <section aria-labelledby="policy-listeners">
        <h2 id="policy-listeners">Notifications</h2>
        <NumberFields section="listeners" draft={draft} readOnly={readOnly} onChange={onChange} />
      </section>
      <section aria-labelledby="policy-audit">
        <h2 id="policy-audit">What the audit stores</h2>
        <AuditFields draft={draft} readOnly={readOnly} onChange={onChange} />
      </section>
    </div>
  );
}

const numberFields = {
  bounds: [
    { name: 'argumentKib', label: 'Maximum argument size (KiB)', max: 16_384 },
    { name: 'metaKib', label: 'Maximum size of _meta (KiB)', max: 16_384 },
    { name: 'answerKib', label: 'Maximum response size (KiB)', max: 102_400 },
    { name: 'timeoutS', label: 'Call timeout (seconds)', max: 3600 },
  ],
  listeners: [
    { name: 'streamsPerPerson', label: 'Streams of a person', max: 256 },
    { name: 'streamsPerHub', label: 'Streams of the hub', max: 4000 },
    { name: 'resourcesPerPerson', label: 'Resources a person watches', max: 2000 },
    { name: 'resourcesPerHub', label: 'Resources the hub watches', max: 2000 },
  ],
} as const;

type NumberFieldsProps = PolicyFormProps & { readonly section: keyof typeof numberFields };

/** Sizes may have a fraction: the policy counts bytes. */
function NumberFields({ section, draft, readOnly, onChange }: NumberFieldsProps) {
  return (
    <div className="inline-form">
      {numberFields[section].map(({ name, label, max }) => (
        <Field
          key={name}
          label={label}
          type="number"
          step={name.endsWith('Kib') ? 'any' : 1}
          min={name.endsWith('Kib') ? 0.001 : 1}
          max={max}
          placeholder="default"
          readOnly={readOnly}
          value={draft[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      ))}
    </div>
  );
}

function AuditFields({ draft, readOnly, onChange }: PolicyFormProps) {
  const { keepArguments, keepMeta, lists, hideFields, hide } = draft;
  return (
    <>
      <label>
        <input
          type="checkbox"
          disabled={readOnly}
          checked={keepArguments}
          onChange={({ target }) => onChange({ keepArguments: target.checked })}
        />{' '}
        Store the arguments of calls. Otherwise only their digest is stored
      </label>
      <label>
        <input
          type="checkbox"
          disabled={readOnly}
          checked={keepMeta}
          onChange={({ target }) => onChange({ keepMeta: target.checked })}
        />{' '}
        Record <code>_meta</code> of every call. Otherwise it is recorded where a rule checks it
      </label>
      <label>
        <input
          type="checkbox"
          disabled={readOnly}
          checked={lists}
          onChange={({ target }) => onChange({ lists: target.checked })}
        />{' '}
        Record lists, sign-ons, subscriptions and refused messages too. Otherwise only calls are recorded
      </label>
      {keepArguments ? (
        <div className="roles">
          <LinesField
            label="Fields whose values are never stored"
            hint="One name per line, at any depth. Case and hyphens are ignored."
            placeholder="common names of secrets"
            lines={hideFields ?? []}
            readOnly={readOnly}
            onWrite={(lines) => onChange({ hideFields: lines.length === 0 && !hideFields ? undefined : lines })}
          />
          <LinesField
            label="Paths whose values are never stored"
            hint="One JSON pointer per line."
            placeholder="/message/body"
            lines={hide}
            readOnly={readOnly}
            onWrite={(lines) => onChange({ hide: lines })}
          />
        </div>
      ) : null}
    </>
  );
}

import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { AddGroupButton } from './add-group-button.tsx';
import type { ApprovalRuleDraft } from './approval-rule-draft.ts';
import { LinesField } from './lines-field.tsx';

type ApprovalFieldsProps = {
  readonly approvals: readonly ApprovalRuleDraft[];
  readonly readOnly: boolean;
  readonly onChange: (approvals: readonly ApprovalRuleDraft[]) => void;
};

const roleChoices = [
  ['owner', 'owners'],
  ['member', 'members'],
  ['owner,member', 'owners and members'],
  ['owner,member,viewer', 'everybody in the hub'],
  ['viewer', 'viewers'],
  ['owner,viewer', 'owners and viewers'],
  ['member,viewer', 'members and viewers'],
  ['', 'only the people below'],
] as const;
type RoleChoice = (typeof roleChoices)[number][0];
const rolesByChoice: Readonly<Record<RoleChoice, ApprovalRuleDraft['roles']>> = {
  owner: ['owner'],
  member: ['member'],
  'owner,member': ['owner', 'member'],
  'owner,member,viewer': ['owner', 'member', 'viewer'],
  viewer: ['viewer'],
  'owner,viewer': ['owner', 'viewer'],
  'member,viewer': ['member', 'viewer'],
  '': undefined,
};

const newApproval: ApprovalRuleDraft = { tools: '', roles: ['owner'], people: [], minutes: '', holdSeconds: '' };

/** Without roles and people, owners approve. */
function getChoice({ roles, people }: ApprovalRuleDraft): RoleChoice {
  if (!roles) return people.length === 0 ? 'owner' : '';
  const names = ['owner', 'member', 'viewer'].filter((role) => roles.some((name) => name === role)).join(',');
  return roleChoices.find(([choice]) => choice === names)?.[0] ?? 'owner';
}

export function ApprovalFields({ approvals, readOnly, onChange }: ApprovalFieldsProps) {
  const update = (position: number, changes: Partial<ApprovalRuleDraft>): void =>
    onChange(approvals.map((rule, index) => (index === position ? { ...rule, ...changes } : rule)));
  return (
    <>
      {approvals.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id
        <fieldset key={index} className="group" disabled={readOnly}>
          <legend>Approval rule {index + 1}</legend>
          <ApprovalRuleFields rule={rule} readOnly={readOnly} onChange={(changes) => update(index, changes)} />
          <p>
            <button
              type="button"
              className="destructive"
              onClick={() => onChange(approvals.filter((_, position) => position !== index))}
            >
              Remove approval rule {index + 1}
            </button>
          </p>
        </fieldset>
      ))}
      {approvals.length === 0 ? <p className="faint">Calls that the policy allows are sent at once.</p> : null}
      {readOnly ? null : (
        <AddGroupButton onAdd={() => onChange([...approvals, newApproval])}>Add approval rule</AddGroupButton>
      )}
    </>
  );
}

type RuleFieldsProps = {
  readonly rule: ApprovalRuleDraft;
  readonly readOnly: boolean;
  readonly onChange: (changes: Partial<ApprovalRuleDraft>) => void;
};

function ApprovalRuleFields({ rule, readOnly, onChange }: RuleFieldsProps) {
  return (
    <>
      <Field
        label="Tools"
        hint="Each call of these tools waits for somebody to approve exactly this call. * matches any characters."
        required
        spellCheck={false}
        placeholder="mail__send"
        value={rule.tools}
        onChange={({ target }) => onChange({ tools: target.value })}
      />
      <Select
        label="Approved by"
        value={getChoice(rule)}
        options={roleChoices}
        onSelect={(choice) => onChange({ roles: rolesByChoice[choice] })}
      />
      <LinesField
        label="Also approved by"
        hint="One id or email address per line. People cannot approve their own calls."
        lines={rule.people}
        readOnly={readOnly}
        onWrite={(people) => onChange({ people })}
      />
      <div className="inline-form">
        <Field
          label="Expires after (minutes)"
          type="number"
          step="any"
          min={0.1}
          max={10_080}
          placeholder="60"
          value={rule.minutes}
          onChange={({ target }) => onChange({ minutes: target.value })}
        />
        <Field
          label="Callers wait (seconds)"
          type="number"
          min={0}
          max={300}
          placeholder="45"
          value={rule.holdSeconds}
          onChange={({ target }) => onChange({ holdSeconds: target.value })}
        />
      </div>
    </>
  );
}

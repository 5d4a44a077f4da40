import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { AddGroupButton } from './add-group-button.tsx';
import type { BudgetDraft } from './budget-draft.ts';

type BudgetFieldsProps = {
  readonly budgets: readonly BudgetDraft[];
  readonly readOnly: boolean;
  readonly onChange: (budgets: readonly BudgetDraft[]) => void;
};

const subjects = [
  ['person', 'each person'],
  ['token', 'each token or OAuth client'],
  ['connection', 'each connection'],
  ['hub', 'the whole hub'],
] as const;
const periods = [
  ['day', 'day'],
  ['month', 'month'],
] as const;
const amounts = [
  { name: 'calls', label: 'Calls', max: 1_000_000_000 },
  { name: 'mebibytes', label: 'MiB', max: 953_674_316 },
  { name: 'tokens', label: 'Estimated tokens', max: 100_000_000_000_000 },
] as const;
const newBudget: BudgetDraft = { per: 'person', period: 'day', tools: '', calls: '1000', mebibytes: '', tokens: '' };

export function BudgetFields({ budgets, readOnly, onChange }: BudgetFieldsProps) {
  const update = (position: number, changes: Partial<BudgetDraft>): void =>
    onChange(budgets.map((budget, index) => (index === position ? { ...budget, ...changes } : budget)));
  return (
    <>
      <p className="faint">
        Calls beyond a budget are refused until the next day or month begins, at 00:00 UTC. Owners, the audit and
        results hear of it from 80 % on. One token is estimated for four bytes of requests and answers.
      </p>
      {budgets.map((budget, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: budgets have no id
        <fieldset key={index} className="group inline-form" disabled={readOnly}>
          <legend className="visually-hidden">Budget {index + 1}</legend>
          <Select label="For" value={budget.per} options={subjects} onSelect={(per) => update(index, { per })} />
          <Select label="A" value={budget.period} options={periods} onSelect={(period) => update(index, { period })} />
          <Field
            label="Tools"
            placeholder="all, and all else"
            spellCheck={false}
            value={budget.tools}
            onChange={({ target }) => update(index, { tools: target.value })}
          />
          {amounts.map(({ name, label, max }) => (
            <Field
              key={name}
              label={label}
              className="count-field"
              type="number"
              min={name === 'mebibytes' ? 0.001 : 1}
              step={name === 'mebibytes' ? 'any' : 1}
              max={max}
              placeholder="any"
              value={budget[name]}
              onChange={({ target }) => update(index, { [name]: target.value })}
            />
          ))}
          <button
            type="button"
            className="destructive"
            onClick={() => onChange(budgets.filter((_, position) => position !== index))}
          >
            Remove<span className="visually-hidden"> budget {index + 1}</span>
          </button>
        </fieldset>
      ))}
      {budgets.length === 0 ? <p className="faint">No budgets.</p> : null}
      {readOnly ? null : <AddGroupButton onAdd={() => onChange([...budgets, newBudget])}>Add budget</AddGroupButton>}
    </>
  );
}

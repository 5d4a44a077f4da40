import { defaultCallLimits } from '../../../contract/hubs/default-call-limits.ts';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { formatCount } from '../../text/format.ts';
import { AddGroupButton } from './add-group-button.tsx';
import type { LimitDraft } from './policy-draft.ts';

type LimitFieldsProps = {
  readonly limits: readonly LimitDraft[] | undefined;
  readonly readOnly: boolean;
  readonly onChange: (limits: readonly LimitDraft[]) => void;
};

const limitScopes = [
  ['token', 'each token'],
  ['person', 'each person'],
  ['tool', 'each tool, across all callers'],
] as const;
const newLimit: LimitDraft = { per: 'token', tools: '', callsAMinute: '60', atOnce: '' };

export function LimitFields({ limits, readOnly, onChange }: LimitFieldsProps) {
  const all = limits ?? [];
  const update = (position: number, changes: Partial<LimitDraft>): void =>
    onChange(all.map((limit, index) => (index === position ? { ...limit, ...changes } : limit)));
  return (
    <>
      {all.map((limit, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: limits have no id
        <fieldset key={index} className="group inline-form" disabled={readOnly}>
          <legend className="visually-hidden">Limit {index + 1}</legend>
          <Select label="For" value={limit.per} options={limitScopes} onSelect={(per) => update(index, { per })} />
          <Field
            label="Tools"
            placeholder="all tools"
            spellCheck={false}
            value={limit.tools}
            onChange={({ target }) => update(index, { tools: target.value })}
          />
          <CountField
            label="Calls per minute"
            max={100_000}
            value={limit.callsAMinute}
            onWrite={(callsAMinute) => update(index, { callsAMinute })}
          />
          <CountField
            label="Concurrent calls"
            max={1000}
            value={limit.atOnce}
            onWrite={(atOnce) => update(index, { atOnce })}
          />
          <button
            type="button"
            className="destructive"
            onClick={() => onChange(all.filter((_, position) => position !== index))}
          >
            Remove<span className="visually-hidden"> limit {index + 1}</span>
          </button>
        </fieldset>
      ))}
      <p className="faint">
        {limits ? (all.length === 0 ? 'No limits.' : '') : `The default limits apply: ${describeDefaultLimits()}.`}
      </p>
      {readOnly ? null : <AddGroupButton onAdd={() => onChange([...all, newLimit])}>Add limit</AddGroupButton>}
    </>
  );
}

function describeDefaultLimits(): string {
  const texts = defaultCallLimits.map(
    ({ per, calls_a_minute: rate, at_once: atOnce }) =>
      `${formatCount(rate, 'call')} a minute and ${atOnce} at once for each ${per}`,
  );
  return texts.join(', ');
}

type CountFieldProps = {
  readonly label: string;
  readonly value: string;
  readonly max: number;
  readonly onWrite: (text: string) => void;
};

function CountField({ label, value, max, onWrite }: CountFieldProps) {
  return (
    <Field
      label={label}
      className="count-field"
      type="number"
      min={1}
      max={max}
      placeholder="any"
      value={value}
      onChange={({ target }) => onWrite(target.value)}
    />
  );
}

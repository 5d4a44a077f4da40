import { Choice } from '../../parts/choice.tsx';
import { Field } from '../../parts/field.tsx';
import type { LimitDraft } from './policy-draft.ts';

type LimitFieldsProps = {
  readonly limits: readonly LimitDraft[] | undefined;
  readonly readOnly: boolean;
  readonly set: (limits: readonly LimitDraft[]) => void;
};

const pers = [
  ['token', 'each token'],
  ['person', 'each person'],
  ['tool', 'each tool, whoever calls'],
] as const;
const fresh: LimitDraft = { per: 'token', tools: '', callsAMinute: '60', atOnce: '' };

/** How often tools may be called. */
export function LimitFields({ limits, readOnly, set }: LimitFieldsProps) {
  const all = limits ?? [];
  const change = (at: number, part: Partial<LimitDraft>): void =>
    set(all.map((limit, index) => (index === at ? { ...limit, ...part } : limit)));
  return (
    <>
      {all.map((limit, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: limits have no other name than their place
        <fieldset key={index} className="group inline-form" disabled={readOnly}>
          <legend className="unseen">Limit {index + 1}</legend>
          <Choice label="For" value={limit.per} options={pers} onChoose={(per) => change(index, { per })} />
          <Field
            label="Tools"
            placeholder="all together"
            spellCheck={false}
            value={limit.tools}
            onChange={({ target }) => change(index, { tools: target.value })}
          />
          <Count
            label="Calls a minute"
            most={100_000}
            value={limit.callsAMinute}
            onWrite={(callsAMinute) => change(index, { callsAMinute })}
          />
          <Count label="At once" most={1000} value={limit.atOnce} onWrite={(atOnce) => change(index, { atOnce })} />
          <button type="button" onClick={() => set(all.filter((_, at) => at !== index))}>
            Remove<span className="unseen"> limit {index + 1}</span>
          </button>
        </fieldset>
      ))}
      <p className="faint">
        {limits ? (all.length === 0 ? 'No limits.' : '') : 'The limits of the default policy hold.'}
      </p>
      {readOnly ? null : (
        <p>
          <button type="button" onClick={() => set([...all, fresh])}>
            Add a limit
          </button>
        </p>
      )}
    </>
  );
}

type CountProps = {
  readonly label: string;
  readonly value: string;
  readonly most: number;
  readonly onWrite: (text: string) => void;
};

function Count({ label, value, most, onWrite }: CountProps) {
  return (
    <Field
      label={label}
      className="count-field"
      type="number"
      min={1}
      max={most}
      placeholder="any"
      value={value}
      onChange={({ target }) => onWrite(target.value)}
    />
  );
}

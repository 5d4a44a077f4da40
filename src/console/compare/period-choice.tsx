import { type SubmitEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { nowMs } from '../browser.ts';
import { Field } from '../components/field.tsx';
import { Select } from '../components/select.tsx';
import {
  type ComparedPeriods,
  findAround,
  findLastDays,
  findLastWeeks,
  findPeriodProblem,
  fromLocalInput,
  type PeriodPreset,
  periodPresets,
  readPeriods,
  toLocalInput,
  toPeriodSides,
  writePeriods,
} from './compared-periods.ts';
import { ComparisonResult } from './comparison-result.tsx';

function readPreset(search: URLSearchParams): PeriodPreset {
  const name = search.get('periods');
  return periodPresets.find(([preset]) => preset === name)?.[0] ?? 'week';
}

/** Two periods; the address has their times, so that a link shows the same later. */
export function PeriodChoice({ instance }: { instance: string }) {
  const [search, setSearch] = useSearchParams();
  const [openedMs] = useState(nowMs);
  const preset = readPreset(search);
  const periods = readPeriods(search) ?? findLastWeeks(openedMs);
  const apply = (name: PeriodPreset, chosen: ComparedPeriods): void =>
    setSearch((params) => {
      params.set('periods', name);
      writePeriods(params, chosen);
      return params;
    });
  const selectPreset = (name: PeriodPreset): void => {
    if (name === 'week') apply(name, findLastWeeks(nowMs()));
    else if (name === 'day') apply(name, findLastDays(nowMs()));
    else apply(name, periods);
  };
  const problem = findPeriodProblem(periods);
  const [base, head] = toPeriodSides(periods);
  // The fields begin anew with each choice.
  const key = JSON.stringify([preset, periods]);
  return (
    <>
      <fieldset className="filters">
        <legend className="visually-hidden">Periods</legend>
        <Select label="Periods" value={preset} options={periodPresets} onSelect={selectPreset} />
      </fieldset>
      {preset === 'moment' ? <MomentForm key={key} periods={periods} onApply={(it) => apply('moment', it)} /> : null}
      {preset === 'own' ? <PeriodsForm key={key} periods={periods} onApply={(it) => apply('own', it)} /> : null}
      {problem === undefined ? (
        <ComparisonResult instance={instance} base={base} head={head} />
      ) : (
        <p role="alert">{problem}</p>
      )}
    </>
  );
}

type FormProps = { readonly periods: ComparedPeriods; readonly onApply: (periods: ComparedPeriods) => void };

function MomentForm({ periods, onApply }: FormProps) {
  const [moment, setMoment] = useState(toLocalInput(periods.headSince));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const time = fromLocalInput(moment);
    if (time !== undefined) onApply(findAround(Date.parse(time), nowMs()));
  };
  return (
    <form className="filters period-form" onSubmit={submit}>
      <TimeField label="Time" value={moment} onChange={setMoment} required />
      <button type="submit">Compare a week before and after</button>
    </form>
  );
}

function PeriodsForm({ periods, onApply }: FormProps) {
  const [baseSince, setBaseSince] = useState(toLocalInput(periods.baseSince));
  const [baseUntil, setBaseUntil] = useState(toLocalInput(periods.baseUntil));
  const [headSince, setHeadSince] = useState(toLocalInput(periods.headSince));
  const [headUntil, setHeadUntil] = useState(toLocalInput(periods.headUntil));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const [from, until, since] = [baseSince, baseUntil, headSince].map(fromLocalInput);
    if (from === undefined || until === undefined || since === undefined) return;
    onApply({ baseSince: from, baseUntil: until, headSince: since, headUntil: fromLocalInput(headUntil) });
  };
  return (
    <form className="filters period-form" onSubmit={submit}>
      <TimeField label="First from" value={baseSince} onChange={setBaseSince} required />
      <TimeField label="First until" value={baseUntil} onChange={setBaseUntil} required />
      <TimeField label="Second from" value={headSince} onChange={setHeadSince} required />
      <TimeField label="Second until (empty: now)" value={headUntil} onChange={setHeadUntil} />
      <button type="submit">Compare</button>
    </form>
  );
}

type TimeFieldProps = {
  readonly label: string;
  readonly value: string;
  readonly required?: boolean;
  readonly onChange: (value: string) => void;
};

function TimeField({ label, value, required = false, onChange }: TimeFieldProps) {
  return (
    <Field
      label={label}
      type="datetime-local"
      required={required}
      min="2000-01-01T00:00"
      max="2999-12-31T23:59"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

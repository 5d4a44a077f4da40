import { useSearchParams } from 'wouter';
import { Select } from '../components/select.tsx';

type SideSelectsProps = {
  /** For assistive technology. */
  readonly label: string;
  readonly names: readonly string[];
  readonly base: string;
  readonly head: string;
};

/** Two names, which become part of the address. */
export function SideSelects({ label, names, base, head }: SideSelectsProps) {
  const [, setSearch] = useSearchParams();
  // A name of the address may be older than those of the list.
  const options = [...new Set([...names, base, head])].map((name) => [name, name] as const);
  // Both, so that the other one does not follow.
  const select = (sides: Partial<Record<'base' | 'head', string>>): void =>
    setSearch((params) => {
      for (const [side, name] of Object.entries({ base, head, ...sides })) params.set(side, name);
      return params;
    });
  return (
    <fieldset className="filters">
      <legend className="visually-hidden">{label}</legend>
      <Select label="From" value={base} options={options} onSelect={(name) => select({ base: name })} />
      <Select label="to" value={head} options={options} onSelect={(name) => select({ head: name })} />
    </fieldset>
  );
}

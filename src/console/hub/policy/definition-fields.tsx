import { Select } from '../../components/select.tsx';
import type { PolicyDraft } from './policy-draft.ts';

type DefinitionFieldsProps = {
  readonly draft: PolicyDraft;
  readonly readOnly: boolean;
  readonly onChange: (part: Partial<PolicyDraft>) => void;
};

const newItemChoices = [
  ['hold', 'are held until an owner approves them'],
  ['offer', 'are offered, unless they are suspicious'],
] as const;
const resourceChoices = [
  ['listed', 'only resources that servers list or have a template for'],
  ['any', 'any resource'],
] as const;
const memoryChoices = [
  ['offer', 'under the same rules as its connection'],
  ['refuse', 'not at all'],
] as const;

const settings = [
  ['newTools', 'New tools of a known connection'],
  ['newPrompts', 'New prompts'],
  ['newResources', 'New resources and templates'],
] as const;

/** What happens with definitions that servers add and resources that they do not list, and whether memory has its own address. */
export function DefinitionFields({ draft, readOnly, onChange }: DefinitionFieldsProps) {
  return (
    <fieldset className="group" disabled={readOnly}>
      <legend className="visually-hidden">New definitions</legend>
      {settings.map(([name, label]) => (
        <Select
          key={name}
          label={label}
          value={draft[name] ?? 'hold'}
          options={newItemChoices}
          onSelect={(choice) => onChange({ [name]: choice })}
        />
      ))}
      <Select
        label="Callers can read"
        value={draft.resources ?? 'listed'}
        options={resourceChoices}
        onSelect={(resources) => onChange({ resources })}
      />
      <Select
        label="Clients reach memory at its own address"
        value={draft.directMemory ?? 'offer'}
        options={memoryChoices}
        onSelect={(directMemory) => onChange({ directMemory })}
      />
    </fieldset>
  );
}
